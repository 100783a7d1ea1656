import { lazily } from '../../core/lazily.ts'
import { isolateBidi, stripBidi } from '../../web/bidi.ts'
import { numberText } from '../../web/chart.ts'
import { type Html, html } from '../../web/html.ts'

const dayForm = lazily(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)
const wholeDayForm = lazily(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }))
const many = (count: number, one: string, several: string) =>
  `${numberText(count)} ${count === 1 ? one : several}`

export const accessTexts = {
  title: 'API access',
  lead: 'Credentials, agents and usage.',

  credentials: {
    title: 'SWS credentials',
    lead: html`A credential lets one of your programs read all your applications and their files with a header (<code>Authorization: SWS …</code>). Give each program its own, so that you can revoke one without stopping the others. <a href="/docs">How to use a credential</a>`,
    issue: 'Create a credential',
    caption: 'SWS credentials, newest first',
    label: 'Label',
    hint: 'Prefix',
    state: 'State',
    created: 'Created',
    expires: 'Expires',
    lastUsed: 'Last used',
    actions: 'Actions',
    states: { active: 'Active', expired: 'Expired', revoked: 'Revoked' },
    never: 'Never',
    revoke: 'Revoke',
    revokeOf: (label: string) => `Revoke ${stripBidi(label)}`,
    empty: {
      title: 'No credentials yet',
      text: 'Create one when your program is ready to collect applications.',
    },
  },

  newCredential: {
    title: 'Create a credential',
    label: 'Label',
    labelHint:
      'The program that will use the credential and where it runs, such as “Payroll import, production”.',
    expires: 'Last day',
    expiresHint: (timeZone: string): string =>
      `The credential works until the end of this day in your company’s time zone, ${timeZone}. Leave empty for no expiry.`,
    submit: 'Create credential',
    cancel: 'Cancel',
    noSuchDay: 'Enter a date such as 2027-06-30, or leave it empty.',
    nothingIssued: 'No credential has been created yet.',
    once: 'You’ll see the credential only once, on the next page. Have somewhere safe ready to store it.',
  },

  issued: {
    title: 'Your new credential',
    notice: (label: string): Html =>
      html`<p><strong>Copy it now.</strong> The credential for ${isolateBidi(label)} is shown only here and only now: we keep just a fingerprint of it.</p>`,
    value: 'Credential',
    command: 'Try it in a terminal',
    commandHint: 'It lists your first two applications.',
    back: 'I’ve copied it',
  },

  revocation: {
    title: 'Revoke this credential?',
    text: (label: string, hint: string): Html =>
      html`The credential for ${isolateBidi(label)} (<code>${hint}…</code>) stops working immediately. Programs that still use it get 401. This can’t be undone.`,
    submit: 'Revoke credential',
    keep: 'Keep credential',
    isRevoked: 'This credential has already been revoked.',
    isExpired: 'This credential has expired and no longer works.',
    back: 'Back to API access',
  },

  agents: {
    title: 'Agents',
    lead: 'Companies that collect applications for you, such as the vendor of your recruiting software. An agent you authorise gets its own tokens and can read all your applications.',
    authorise: 'Authorise an agent',
    caption: 'Agents that act for you',
    name: 'Agent',
    id: 'ID',
    since: 'Since',
    actions: 'Actions',
    withdraw: 'Withdraw',
    withdrawOf: (name: string) => `Withdraw authorisation from ${stripBidi(name)}`,
    empty: {
      title: 'No authorised agents',
      text: 'Authorise one when another company collects your applications for you.',
    },
  },

  newAgent: {
    title: 'Authorise an agent',
    text: 'The agent will be able to read all your applications, including past ones, until you withdraw the authorisation.',
    agent: 'Agent',
    agentHint: 'Agents on this service that you haven’t authorised yet.',
    choose: 'Choose an agent',
    choice: (name: string, id: number) => `${name} (${id})`,
    agentId: 'Or the agent ID',
    onlyAgentId: 'Agent ID',
    agentIdHint: 'The number the agent gave you.',
    submit: 'Authorise agent',
    cancel: 'Cancel',
    none: 'Choose an agent or enter its ID.',
    both: 'The agent you chose and the ID you entered differ. Use only one of them.',
    unknown: 'No agent has this ID. Ask the agent for it: it is a number such as 20000001.',
    nothingDone: 'No agent has been authorised yet.',
    allAuthorised: {
      title: 'Every agent is already authorised',
      text: 'You have authorised all agents on this service.',
    },
    noAgents: {
      title: 'No agents yet',
      text: 'This service has no agents yet. The operator of the service adds them.',
    },
    back: 'Back to API access',
  },

  withdrawal: {
    title: 'Withdraw authorisation?',
    text: (name: string): Html =>
      html`${isolateBidi(name)} will no longer be able to read your applications: its tokens for you are revoked immediately. You can authorise it again at any time.`,
    submit: 'Withdraw authorisation',
    keep: 'Keep authorisation',
  },

  done: {
    'shown-once':
      'This credential has already been created and its value shown once. If you don’t have the value, revoke the credential and create another.',
    revoked: 'Credential revoked.',
    authorised: 'Agent authorised.',
    withdrawn: 'Authorisation withdrawn. Its tokens have been revoked.',
  },

  usage: {
    title: (days: number) => `The last ${days} days`,
    lead: 'Days are in Australian Eastern Standard Time (UTC+10). API calls appear here after a few seconds.',
    applications: (total: number) => many(total, 'application', 'applications'),
    calls: (total: number) => many(total, 'API call', 'API calls'),
    applicationsSummary: (total: number, most: number, day: string) =>
      `Bar chart of applications per day: ${many(total, 'application', 'applications')} in total, peaking at ${numberText(most)} on ${day}.`,
    callsSummary: (total: number, most: number, day: string) =>
      `Bar chart of API calls per day: ${many(total, 'call', 'calls')} in total, peaking at ${numberText(most)} on ${day}.`,
    noApplications: 'No applications in this period.',
    noCalls: 'No API calls in this period.',
    table: 'View as table',
    caption: 'Applications and API calls per day, newest first',
    day: 'Day',
    applicationsColumn: 'Applications',
    callsColumn: 'API calls',
    dayText: (day: string) => dayForm().format(Date.parse(day)),
    wholeDayText: (day: string) => wholeDayForm().format(Date.parse(day)),
  },
} as const
