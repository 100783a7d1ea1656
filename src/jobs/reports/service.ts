import { type ReportReason, reportReasons } from '../../model/job-report.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { isUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { textFault, textFaultInWords } from '../../platform/core/text.ts'
import type { JobBoard } from '../posting-store.ts'
import type { ReportStore } from './report-store.ts'

/** Limit: Characters in the details of a job report. */
export const maxReportDetailsLength = 2_000
/** Limit: Characters of what an operator tells the company of a held ad. */
export const holdReasonLength = 500
/** Limit: Entries of each list on the operator's page of reports. */
const listed = 100

export type Reports = ReturnType<typeof createReports>

/** Reports of ads by anyone, and operators' decisions. */
export function createReports({
  store,
  board,
  clock,
}: {
  store: ReportStore
  board: Pick<JobBoard, 'find'>
  clock: Clock
}) {
  async function adOf(jobAdId: number | undefined) {
    const ad = jobAdId === undefined ? undefined : await board.find(jobAdId)
    if (ad === undefined) throw new Problem('not-found')
    return ad
  }

  return {
    /** The ad, if it is public. */
    adOf,

    async add(
      jobAdId: number | undefined,
      sent: { formKey: string; reason: string; details: string; email: string },
    ): Promise<void> {
      const ad = await adOf(jobAdId)
      const reason = reportReasons.find((each): each is ReportReason => each === sent.reason)
      if (reason === undefined) throw invalidField('reason', 'unknown', 'Choose a reason.')
      const details = sent.details.replaceAll(/\r\n?/g, '\n').trim()
      checkText('details', details, { maxLength: maxReportDetailsLength, isRequired: reason === 'other' })
      const email = sent.email.trim() === '' ? null : normaliseEmail(sent.email)
      if (email !== null && !isEmail(email))
        throw invalidField('email', 'not-an-email', 'Enter an email address such as name@example.com.')
      if (!isUuid(sent.formKey)) throw new Problem('form-expired')
      const { advertiserId, id } = ad
      const report = { id: sent.formKey, advertiserId, jobAdId: id, reason, details, email }
      if (!(await store.add(report, clock()))) throw new Problem('not-found')
    },

    async queue() {
      const [open, waiting, held, counts] = await Promise.all([
        store.open(listed),
        store.onHold('review', listed),
        store.onHold('held', listed),
        store.counts(),
      ])
      return { open, waiting, held, counts, listed }
    },

    async review(jobAdId: number) {
      const ad = await store.ad(jobAdId, listed)
      if (ad === undefined) throw noSuchAd(jobAdId)
      return ad
    },

    /** Takes the ad off the board. The company sees the reason. */
    async hold(jobAdId: number, reason: string): Promise<void> {
      const text = reason.replaceAll(/\r\n?/g, '\n').trim()
      checkText('reason', text, { maxLength: holdReasonLength, isRequired: true })
      if (!(await store.hold(jobAdId, text, clock()))) throw noSuchAd(jobAdId)
    },

    /** `seen`: the version that the operator has read, if any. */
    release: (jobAdId: number, seen?: EpochMs) => store.release(jobAdId, clock(), seen),

    /** Decides the listed reports that were shown, with no consequence for the ad; returns how many were open. */
    dismiss: (jobAdId: number, ids: readonly string[]): Promise<number> =>
      ids.length === 0 ? Promise.resolve(0) : store.dismiss(jobAdId, ids, clock()),

    counts: () => store.counts(),
  }
}

function checkText(field: string, text: string, rules: { maxLength: number; isRequired: boolean }): void {
  const fault = textFault(text, rules)
  if (fault === undefined) return
  const message =
    fault === 'empty' ? 'Say what is wrong.' : `This text ${textFaultInWords(fault, text, rules)}.`
  throw invalidField(field, fault, message)
}

const noSuchAd = (jobAdId: number) => new Problem('not-found', `There is no job ad ${jobAdId}.`)
