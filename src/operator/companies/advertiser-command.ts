import { advertiserId } from '../../companies/advertiser-argument.ts'
import { emailChoices } from '../../model/application-status.ts'
import { maxKeepMonths } from '../../model/retention.ts'
import { maxAnswerDays, standardAnswerDays } from '../../model/unanswered.ts'
import { peopleCommands } from '../../people/members/invite-command.ts'
import { argument, numericId, option, optionalArgument } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'

const setStatus = (status: 'hold' | 'active', about: string) =>
  command({
    about,
    takes: { id: advertiserId },
    run: ({ companies }, { id }) => companies.advertisers.setStatus(id, status),
    prints: ({ name }) => `${name} is ${status === 'hold' ? 'on hold' : 'active'}.`,
  })

export const advertiser = group('Manage advertisers, the accounts that receive applications.', {
  add: command({
    about: 'Add an advertiser and print its ID.',
    takes: { name: argument('name that candidates see') },
    options: {
      id: option('<id>', 'your own ID instead of the next free one', numericId),
      timeZone: option('<zone>', 'time zone of its console and of its closing dates (default: TIME_ZONE)'),
    },
    run: ({ companies }, { name, id, timeZone }) => companies.advertisers.add(name, id, timeZone),
    prints: { line: ({ id }) => `${id}`, json: ({ id }, { name }) => ({ id, name }) },
  }),
  list: command({
    about: 'List all advertisers.',
    run: ({ companies }) => companies.advertisers.list(),
    prints: {
      rows: all => all.map(({ createdAt, ...rest }) => ({ ...rest, createdAt: isoTime(createdAt) })),
      whenEmpty: 'No advertisers yet. Add one with: dossier advertiser add <name>',
    },
  }),
  'time-zone': command({
    about: 'Set the time zone of its console and of its closing dates; without one, TIME_ZONE applies.',
    takes: { id: advertiserId, zone: optionalArgument('such as Europe/London') },
    run: ({ companies }, { id, zone = null }) => companies.advertisers.setTimeZone(id, zone),
    prints: ({ name, timeZone }) => `${name} uses the time zone ${timeZone ?? 'in TIME_ZONE'}.`,
  }),
  'answer-days': command({
    about: `Set after how many days an application counts as unanswered; without a number, ${standardAnswerDays}.`,
    takes: { id: advertiserId, days: optionalArgument(`from 1 to ${maxAnswerDays}`, numericId) },
    run: ({ companies }, { id, days = null }) => companies.advertisers.setAnswerDays(id, days),
    prints: ({ name, answerDays }) =>
      `Applications to ${name} count as unanswered after ${answerDays ?? standardAnswerDays} days.`,
  }),
  'keep-months': command({
    about: `Ask candidates on the form whether it may keep their application for other jobs for so many months, from 1 to ${maxKeepMonths}, or no longer.`,
    takes: { id: advertiserId, months: argument(`from 1 to ${maxKeepMonths}, or off`) },
    run({ companies }, { id, months }) {
      if (months === 'off') return companies.advertisers.setKeepMonths(id, null)
      if (/^\d{1,3}$/.test(months)) return companies.advertisers.setKeepMonths(id, Number(months))
      throw new CommandError('Give a number of months, or off.', exitCodes.usage)
    },
    prints: ({ name, keepMonths }) =>
      keepMonths === null
        ? `The form of ${name} does not ask.`
        : `The form of ${name} asks for ${keepMonths === 1 ? '1 month' : `${keepMonths} months`}.`,
  }),
  'second-factor': command({
    about: 'Require a second factor of its people, starting with their next request, or no longer.',
    takes: { id: advertiserId, rule: argument('required or optional') },
    run({ companies }, { id, rule }) {
      if (rule === 'required' || rule === 'optional')
        return companies.advertisers.setRequiresFactor(id, rule === 'required')
      throw new CommandError('The rule is required or optional.', exitCodes.usage)
    },
    prints: ({ name }, { rule }) => `A second factor is ${rule} for the people of ${name}.`,
  }),
  'tell-candidates': command({
    about:
      'Choose of which changes of status its candidates are told by email: of decisions, unless it is set.',
    takes: { id: advertiserId, changes: argument('decisions, everything or nothing') },
    run({ companies }, { id, changes }) {
      const emails = emailChoices.find(each => each === changes)
      if (emails !== undefined) return companies.advertisers.setTelling(id, { emails })
      throw new CommandError('Choose decisions, everything or nothing.', exitCodes.usage)
    },
    prints: ({ name }, { changes }) => `Candidates of ${name} are told by email of ${changes}.`,
  }),
  reasons: command({
    about: 'Show candidates the reasons that its programs report, or hide them.',
    takes: { id: advertiserId, rule: argument('shown or hidden') },
    run({ companies }, { id, rule }) {
      if (rule === 'shown' || rule === 'hidden')
        return companies.advertisers.setTelling(id, { showsReasons: rule === 'shown' })
      throw new CommandError('The rule is shown or hidden.', exitCodes.usage)
    },
    prints: ({ name }, { rule }) => `Reported reasons are ${rule} on the pages of candidates of ${name}.`,
  }),
  privacy: command({
    about:
      'Set the address of the privacy notice that its candidates see before they apply, or remove the notice.',
    takes: { id: advertiserId, url: optionalArgument('such as https://example.com/privacy') },
    run: ({ companies }, { id, url = '' }) => companies.privacyNotices.set(id, { url, content: '' }),
    prints: (_, { id, url }) => `Advertiser ${id} has ${url === undefined ? 'no' : 'a new'} privacy notice.`,
  }),
  hold: setStatus(
    'hold',
    'Reject requests of this advertiser with 403, starting with the next. No data is lost.',
  ),
  activate: setStatus('active', 'Serve an advertiser that was on hold.'),
  ...peopleCommands('advertiser'),
})
