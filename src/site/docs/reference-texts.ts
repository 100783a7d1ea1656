import { type Html, html } from '../../web/html.ts'

export const schemaTexts = {
  or: ' or ',
  and: ' and ',
  anything: 'anything',
  required: 'required',
  listOf: (type: Html | string): Html => html`list of ${type}`,
  mapOf: (type: Html | string): Html => html`object, each key with ${type}`,
  withFormat: (type: string, format: string) => `${type} (${format})`,
  oneForm: (number: number) => `Form ${number}`,
  part: (number: number) => `Part ${number}`,
  pattern: (pattern: Html): Html => html`Matches ${pattern}.`,
  byDefault: (value: Html): Html => html`${value} when it is left out.`,
  example: (value: Html): Html => html`For example ${value}.`,
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
    html`<p>Every call of version ${version}, made from <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), which generators of clients can read. Open a call to see what goes in and what comes out.</p>`,
  schemas: 'Schemas',
  schemasText: 'The shapes that several answers share.',
  filter: 'Filter the calls',
  filterHint: 'By path, method or words, such as "resume" or "post".',
  found: 'Calls shown:',
  authentication: 'Who may call',
  everybody: 'Everybody.',
  parameters: 'Parameters',
  parameter: 'Parameter',
  place: 'In',
  type: 'Type',
  about: 'About',
  places: { query: 'query', path: 'path', header: 'header' },
  required: 'required',
  body: 'Body',
  answers: 'Answers',
  status: 'Status',
  headers: 'Headers',
  noBody: 'No body.',
  asCurl: 'As curl',
  tryIt: 'Try it',
  tryItFor: (summary: string): Html => html`Try it<span class="for-readers">: ${summary}</span>`,
  tryHint:
    'Sent from your browser to this service. What you enter stays in this page until you close it: it is not stored.',
  credential: 'SWS credential',
  token: 'Bearer token',
  tokenHint: 'A token that you get with the token call is put in here.',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  accept: 'Accept',
  jsonBody: 'Body, JSON',
  part: (name: string) => `Part ${name}, JSON`,
  file: (name: string) => `File ${name}`,
  none: 'not sent',
  send: 'Send',
  inBrowser: 'This address is for the browser of a candidate: open it, sign in, and look where you are sent.',
  open: 'Open it',
  elsewhere: (origin: string): Html =>
    html`The authorization server of this service is <code>${origin}</code>, another origin, to which a page may not send requests. Use the command below.`,
  /** What `reference.js` says. `{}` stands for what it fills in. */
  script: {
    sending: 'Sending.',
    failed: 'There was no answer: the service cannot be reached, or the connection broke. {}',
    answered: '{status} in {time} ms, {size}.',
    headers: 'Headers of the answer',
    body: 'Body of the answer',
    cut: 'The body is longer than what is shown: these are its first {} characters.',
    empty: 'The body is empty.',
    save: 'Save the file ({})',
    token: 'The token was put into the fields for bearer tokens.',
  },
} as const
