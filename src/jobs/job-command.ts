import { advertiserId } from '../companies/advertiser-argument.ts'
import { reportReasons } from '../model/job-report.ts'
import { argument, choice, numericId, repeatedArgument } from '../platform/cli/arguments.ts'
import { command, group } from '../platform/cli/command.ts'
import { CommandError, exitCodes } from '../platform/cli/command-error.ts'
import { isoTime } from '../platform/cli/table.ts'
import { byteOrderMark, csvLine } from '../platform/web/csv.ts'
import { versionCells, versionHead, versionJson } from './ad-version-export.ts'

const jobAdId = argument('ID of the job ad', numericId)

/** Commands for the acts of the operator's page of reported jobs. */
export const job = group(
  'Decide about reported job ads and ads that wait for a review, and export versions of ads.',
  {
    reports: command({
      about: `List open reports of job ads, the oldest first. Reasons: ${reportReasons.join(', ')}.`,
      run: async ({ jobs }) => (await jobs.reports.queue()).open,
      prints: {
        rows: open =>
          open.map(({ id, jobAdId, reason, reportedAt, ad }) => ({
            id,
            jobAdId,
            advertiserId: ad.advertiserId,
            reason,
            reported: isoTime(reportedAt),
          })),
        whenEmpty: 'No reports are open.',
      },
    }),
    held: command({
      about:
        'List job ads that wait for a review, the oldest first, and those that are held, the newest first.',
      async run({ jobs }) {
        const { waiting, held } = await jobs.reports.queue()
        return [...waiting, ...held]
      },
      prints: {
        rows: ads =>
          ads.map(({ jobAdId, advertiserId, title, hold }) => ({
            jobAdId,
            advertiserId,
            title,
            why: hold?.kind ?? null,
            since: hold === null ? null : isoTime(hold.at),
          })),
        whenEmpty: 'No ads are waiting or held.',
      },
    }),
    hold: command({
      about: 'Take a job ad off the board and answer its open reports.',
      takes: { id: jobAdId, reason: argument('what its company reads') },
      run: ({ jobs }, { id, reason }) => jobs.reports.hold(id, reason),
      prints: (_, { id }) => `Job ad ${id} is held.`,
    }),
    release: command({
      about: 'Let a job ad that is held or waits for a review onto the board.',
      takes: { id: jobAdId },
      async run({ jobs }, { id }) {
        if ((await jobs.reports.release(id)) !== 'released')
          throw new CommandError(`Job ad ${id} is neither held nor waiting.`, exitCodes.notFound)
      },
      prints: (_, { id }) => `Job ad ${id} may be public.`,
    }),
    versions: command({
      about: 'Print every version of the job ads of an advertiser, with its questionnaire.',
      takes: { advertiserId },
      options: { format: choice('<format>', 'the format', ['ndjson', 'csv'], 'ndjson') },
      async run({ jobs }, { advertiserId, format }, { print }) {
        if (format === 'csv') print(byteOrderMark + csvLine(versionHead))
        for await (const versions of jobs.adVersions.all(advertiserId))
          for (const version of versions)
            print(
              format === 'csv' ? csvLine(versionCells(version)) : `${JSON.stringify(versionJson(version))}\n`,
            )
      },
    }),
    dismiss: command({
      about: 'Decide reports of a job ad and leave the ad as it is.',
      takes: { id: jobAdId, reportId: repeatedArgument('IDs that "job reports" shows') },
      async run({ jobs }, { id, reportId }) {
        const dismissed = await jobs.reports.dismiss(id, reportId)
        if (dismissed === 0) throw new CommandError('No such report is open.', exitCodes.notFound)
        return dismissed
      },
      prints: dismissed => `Dismissed ${dismissed === 1 ? '1 report' : `${dismissed} reports`}.`,
    }),
  },
)
