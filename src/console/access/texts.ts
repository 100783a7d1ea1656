import { theirs, unturned } from '../../web/bidi.ts'
import { numberText } from '../../web/chart.ts'
import { type Html, html } from '../../web/html.ts'

const dayForm = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const wholeDayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
const many = (count: number, one: string, several: string) =>
  `${numberText(count)} ${count === 1 ? one : several}`

export const accessTexts = {
  title: 'API access',
  lead: 'How programs collect your applications, and how much they do it.',

  credentials: {
    title: 'SWS credentials',
    lead: html`A credential lets a program of yours read every application that you get, and its files: <code>Authorization: SWS …</code>. Give each program its own, so that you can revoke one without stopping the others. <a href="/docs">How to use it</a>`,
    issue: 'Issue a credential',
    caption: 'SWS credentials, the newest first',
    label: 'Label',
    hint: 'Begins with',
    state: 'State',
    created: 'Issued',
    expires: 'Expires',
    lastUsed: 'Last used',
    actions: 'Actions',
    states: { active: 'Active', expired: 'Expired', revoked: 'Revoked' },
    never: 'Never',
    revoke: 'Revoke',
    revokeOf: (label: string) => `Revoke ${unturned(label)}`,
    empty: {
      title: 'No credential yet',
      text: 'Issue one when a program of yours is ready to collect applications.',
    },
  },

  newCredential: {
    title: 'Issue a credential',
    label: 'What is it for?',
    labelHint: 'The program or the place that will use it, such as "Payroll import, production".',
    expires: 'Last day',
    expiresHint:
      'It works until the end of this day in Australian Eastern Standard Time. Leave it empty for one that works until it is revoked.',
    submit: 'Issue it',
    cancel: 'Cancel',
    noSuchDay: 'Enter a day such as 2027-06-30, or leave it empty.',
    nothingIssued: 'Nothing was issued yet.',
    once: 'The credential is shown once, on the next page. Have a safe place for it ready.',
  },

  issued: {
    title: 'Your new credential',
    notice: (label: string): Html =>
      html`<p><strong>Copy it now.</strong> The credential for ${theirs(label)} is shown here and nowhere else: we keep only a fingerprint of it.</p>`,
    value: 'Credential',
    command: 'Try it in a terminal',
    commandHint: 'It lists your first two applications.',
    back: 'I have copied it',
  },

  revocation: {
    title: 'Revoke this credential?',
    text: (label: string, hint: string): Html =>
      html`The credential for ${theirs(label)} (<code>${hint}…</code>) stops working with the next request. Programs that still use it get 401. This cannot be undone.`,
    submit: 'Revoke it',
    keep: 'Keep it',
    isRevoked: 'This credential is revoked already.',
    isExpired: 'This credential has expired: it does not work any more.',
    back: 'Back to API access',
  },

  agents: {
    title: 'Agents',
    lead: 'Companies that collect applications for you, such as the maker of your recruiting software. An agent that you authorise gets tokens of its own, and reads every application of yours with them.',
    authorise: 'Authorise an agent',
    caption: 'Agents that act for you',
    name: 'Agent',
    id: 'ID',
    since: 'Since',
    actions: 'Actions',
    withdraw: 'Withdraw',
    withdrawOf: (name: string) => `Withdraw the authorisation of ${unturned(name)}`,
    empty: {
      title: 'No agent acts for you',
      text: 'Authorise one when another company collects your applications for you.',
    },
  },

  newAgent: {
    title: 'Authorise an agent',
    text: 'The agent will be able to read every application that you get, those of the past as well, until you withdraw the authorisation.',
    agent: 'Agent',
    agentHint: 'All agents of this service that do not act for you yet.',
    choose: 'Choose an agent',
    choice: (name: string, id: number) => `${name} (${id})`,
    agentId: 'Or its ID',
    onlyAgentId: 'ID of the agent',
    agentIdHint: 'The number that the agent has told you.',
    submit: 'Authorise',
    cancel: 'Cancel',
    none: 'Choose an agent, or type its ID.',
    both: 'Choose an agent or type an ID, but not two different ones.',
    unknown: 'There is no agent with this ID. Ask the agent for it: it is a number such as 20000001.',
    nothingDone: 'Nobody was authorised yet.',
    allAuthorised: {
      title: 'Every agent is authorised already',
      text: 'All agents of this service act for you. There is nobody left to authorise.',
    },
    noAgents: {
      title: 'No agents yet',
      text: 'This service has no agents. The people who run it add them.',
    },
    back: 'Back to API access',
  },

  withdrawal: {
    title: 'Withdraw the authorisation?',
    text: (name: string): Html =>
      html`${theirs(name)} will not be able to read your applications any more: every token that it holds for you dies at once. You can authorise it again at any time.`,
    submit: 'Withdraw it',
    keep: 'Keep it',
  },

  done: {
    'shown-once':
      'This credential was issued already, and its value was shown once. If you do not have it, revoke the credential and issue another.',
    revoked: 'The credential is revoked.',
    authorised: 'The agent is authorised.',
    withdrawn: 'The authorisation is withdrawn, and every token that hung on it is dead.',
  },

  usage: {
    title: (days: number) => `The last ${days} days`,
    lead: 'Days of Australian Eastern Standard Time (UTC+10). API calls appear some seconds after they were made.',
    applications: (total: number) => many(total, 'application', 'applications'),
    calls: (total: number) => many(total, 'API call', 'API calls'),
    applicationsSummary: (total: number, most: number, day: string) =>
      `Bars of the applications per day: ${many(total, 'application', 'applications')} together, at most ${numberText(most)} on ${day}.`,
    callsSummary: (total: number, most: number, day: string) =>
      `Bars of the API calls per day: ${many(total, 'call', 'calls')} together, at most ${numberText(most)} on ${day}.`,
    noApplications: 'Nobody applied in these days.',
    noCalls: 'No program asked for applications in these days.',
    table: 'The same in numbers',
    caption: 'Applications and API calls per day, the newest first',
    day: 'Day',
    applicationsColumn: 'Applications',
    callsColumn: 'API calls',
    dayText: (day: string) => dayForm.format(Date.parse(day)),
    wholeDayText: (day: string) => wholeDayForm.format(Date.parse(day)),
  },
} as const
