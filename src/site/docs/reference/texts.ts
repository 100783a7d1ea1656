import { type Html, html } from '../../../web/html.ts'

export const schemaTexts = {
  or: ' or ',
  and: ' and ',
  anything: 'anything',
  required: 'required',
  listOf: (type: Html | string): Html => html`list of ${type}`,
  mapOf: (type: Html | string): Html => html`object with values of type ${type}`,
  withFormat: (type: string, format: string) => `${type} (${format})`,
  oneForm: (number: number) => `Variant ${number}`,
  part: (number: number) => `Part ${number}`,
  pattern: (pattern: Html): Html => html`Matches ${pattern}.`,
  byDefault: (value: Html): Html => html`Default: ${value}.`,
  example: (value: Html): Html => html`Example: ${value}.`,
  between: bounds(''),
  characters: bounds(' characters'),
  entries: bounds(' entries'),
} as const

function bounds(unit: string) {
  return (least: number | undefined, most: number | undefined): string => {
    if (least === undefined) return `At most ${most}${unit}.`
    return most === undefined ? `At least ${least}${unit}.` : `${least} to ${most}${unit}.`
  }
}

export const referenceTexts = {
  title: 'API reference',
  intro: (version: string): Html =>
    html`<p>Every call of version ${version}, generated from <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1, for code generators). Each call has a page with its parameters, responses and errors, and a form to try it.</p>`,
  events: 'Events',
  eventsText:
    'Sent to webhook endpoints, and all but the last two in the feed of an advertiser. The schema describes the data of each.',
  schemas: 'Schemas',
  schemasText: 'Types shared by several responses.',
  types: 'Types',
  byHref: (summary: string) => `${summary}, by its Href`,
  authentication: 'Authentication',
  noAuthentication: 'None.',
  parameters: 'Parameters',
  parameter: 'Parameter',
  place: 'In',
  type: 'Type',
  about: 'Description',
  places: { query: 'query', path: 'path', header: 'header' },
  required: 'required',
  body: 'Body',
  answers: 'Responses',
  status: 'Status',
  headers: 'Headers',
  noBody: 'No body.',
  tryIt: 'Try it',
  getToken: 'Get a token',
  tryHint:
    'Sent from your browser to this service. What you enter stays on this page until you close it and isn’t stored.',
  credential: 'SWS credential',
  token: 'Bearer token',
  tokenHint: 'Get one with the form above, or from the candidate: see the guides.',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  accept: 'Accept',
  jsonBody: 'JSON body',
  part: (name: string) => `Part ${name}, JSON`,
  file: (name: string) => `File ${name}`,
  none: 'not sent',
  withoutScript: 'The form needs JavaScript.',
  send: 'Send request',
  inBrowser: 'This URL is for the candidate’s browser: open it, sign in, and see where you are redirected.',
  open: 'Open URL',
  elsewhere: (origin: string): Html =>
    html`The authorization server is at another origin, <code>${origin}</code>, so this page can’t send requests to it. Use the code of the request.`,
  /** Messages of `reference.js`, which fills in the placeholders. */
  script: {
    sending: 'Sending.',
    failed: 'No response: the service is unreachable or the connection was lost. {}',
    answered: '{status} in {time} ms, {size}.',
    headers: 'Response headers',
    body: 'Response body',
    cut: 'Showing the first {} characters of the body.',
    empty: 'The body is empty.',
    save: 'Save file ({})',
    token: 'The token has been filled in as the bearer token.',
  },
} as const
