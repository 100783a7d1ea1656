import { type Html, html } from '../../web/html.ts'

export const inMonths = (count: number) => (count === 1 ? '1 month' : `${count} months`)
const applications = (count: number) => (count === 1 ? '1 application' : `${count} applications`)

export const retentionTexts = {
  title: 'Retention period',
  lead: 'Choose how long your company keeps applications, counted from the day they were sent. After that, names, contact details, answers, notes and files are erased. Candidates see the period before they apply.',
  now: 'Current period',
  period: (months: number | null) => (months === null ? 'No end date' : inMonths(months)),
  isDefault: 'Default of this job board',
  soon: (count: number, before: Html, at: Html) =>
    count === 0
      ? html`No applications will be erased before ${at}.`
      : html`${applications(count)} sent before ${before} will be erased before ${at}.`,
  onHold: (count: number) =>
    count === 0
      ? ''
      : `${applications(count)} on hold ${count === 1 ? 'stays' : 'stay'} until you release ${count === 1 ? 'it' : 'them'}.`,

  announced: (months: number, at: Html) =>
    html`From ${at}, your company keeps applications for ${inMonths(months)}.`,
  announcedPlan: (count: number, before: Html, oldest: Html | undefined) =>
    count === 0
      ? html`No applications are that old.`
      : html`${applications(count)} sent before ${before} will be erased then${oldest && html`, the oldest from ${oldest}`}.`,
  untold:
    'We couldn’t tell any admin of your company by email, because their addresses reject our emails. Correct an address under Account, and tell the others.',
  byOperator: 'The operator of this job board has set this period, so it can’t be taken back here.',
  takeBack: 'Take the change back',

  choose: 'Another period',
  label: 'Keep applications for',
  hint: (min: number, max: number) => `From ${inMonths(min)} to ${inMonths(max)}.`,
  standard: (months: number | null) => `Default: ${months === null ? 'no end date' : inMonths(months)}`,
  preview: 'Show what would change',
  previewTitle: (months: number | null) =>
    months === null
      ? 'If you keep applications without an end date'
      : `If you keep applications for ${inMonths(months)}`,
  atOnce: 'This takes effect at once. It erases nothing earlier than before.',
  same: 'This is the period you have now.',
  later: (at: Html) =>
    html`This takes effect on ${at}. All admins get an email, and you can take it back until then.`,
  save: (months: number | null) =>
    months === null ? 'Keep applications without an end date' : `Keep applications for ${inMonths(months)}`,
  cancel: 'Cancel',
  done: {
    saved: 'The new period is in force.',
    announced: 'The new period has been announced to all admins.',
    'taken-back': 'The change has been taken back.',
  },
} as const
