import { type Html, html } from '../../web/html.ts'

export const deskTexts = {
  deskLabel: 'Developers',
  onThisPage: 'On this page',
  wayOnLabel: 'Previous and next',
  previous: 'Previous:',
  next: 'Next:',
  copy: 'Copy',
  copied: 'Copied',
  pages: {
    start: 'Start',
    share: 'Share a profile',
    apply: 'Send applications',
    collect: 'Collect applications',
    polling: 'Polling without a gap',
    errors: 'Errors',
    limits: 'Limits',
    samples: 'Code samples',
    reference: 'API reference',
  },
  doorsTitle: 'Where to go next',
  doors: {
    share: 'Fill in your own form with the profile and the resume that a candidate releases. OAuth 2.0.',
    apply: 'Bring in the applications of your own pages, job ads and questionnaires.',
    collect: 'Get the applications made to an advertiser, with their files, in JSON or XML.',
    polling: 'What to store and when to ask again, so that none is missed and none comes twice.',
    errors: 'Every code one by one: what it means, and what to do.',
    limits: 'How much, how fast and how long, each with its reason.',
    samples: 'Three small programs, in curl, TypeScript, Python, C# and PHP.',
    reference: 'Every call with its parameters and answers, to be tried from the page.',
  },
  notDemo: (): Html =>
    html`<p>This service holds real data. The examples of these pages are for the demo, which runs on your own machine: <code>npm start</code> in a checkout serves it on <code>http://localhost:8080</code>, with the credentials that are printed here.</p>`,
} as const

export const errorTexts = {
  title: 'Errors',
  intro:
    'Outside OAuth, errors are problem details (RFC 9457): `application/problem+json`, or `application/problem+xml` when you prefer XML. Decide by `code`, which never changes its meaning; show `detail` to people; give `requestId` to the operator, who finds the cause in the log by it. `type` leads to the code on this page.',
  byStatus: 'By status',
  byStatusText: 'When a code is unknown to your program, the status is enough to do the right thing:',
  codes: 'Problem codes',
  oauth: 'OAuth errors',
  oauthIntro:
    'The token and the revocation endpoint answer with `error` and `error_description` in JSON, as RFC 6749 has it. The authorization endpoint sends them to your redirect URI, with your `state` and our `iss`; where that address cannot be trusted, it shows a page to the candidate.',
  statusColumn: 'Status',
  doColumn: 'What to do',
  codeColumn: 'Code',
  meaningColumn: 'Meaning',
  status: (status: number) => `HTTP ${status}`,
  statuses: [
    ['400, 404, 405, 406, 413, 414, 415, 416, 422', 'Do not repeat it as it is: mend the request.'],
    ['401', 'Get a new token. Is it an SWS credential, stop and tell a person.'],
    ['403', 'Stop and tell a person: somebody has to allow it.'],
    ['409', 'Look at the code: wait and repeat, or take a new key.'],
    ['429, 503', 'Wait as many seconds as Retry-After says, and repeat.'],
    [
      '500, and no answer at all',
      'Repeat with growing pauses. Reading twice is harmless; write with an Idempotency-Key.',
    ],
  ],
  oauthErrors: {
    invalid_request: {
      meaning: 'A parameter is missing, is there twice, or cannot be read.',
      todo: 'error_description names it. Mend the request.',
    },
    invalid_client: {
      meaning: 'The client is unknown, or its secret is wrong or missing. Status 401.',
      todo: 'Check client_id and client_secret, and send them with HTTP Basic or in the body, not both. Too many failures are slowed down with 429.',
    },
    invalid_grant: {
      meaning:
        'The code is unknown, has expired, has been used, or belongs to another client, redirect_uri or code_verifier.',
      todo: 'Send the candidate through the authorization endpoint again: one redirect while the consent is remembered. Never repeat a code whose exchange may have worked: that ends its token.',
    },
    unauthorized_client: {
      meaning:
        'The client may not have this token: no advertiser of that ID authorises it, or the advertiser is on hold.',
      todo: 'Ask the advertiser to authorise the agent. Which of the reasons it is stays untold on purpose.',
    },
    unsupported_grant_type: {
      meaning: 'grant_type is neither authorization_code nor client_credentials.',
      todo: 'There are no refresh tokens and no passwords here: use one of the two.',
    },
    unsupported_response_type: {
      meaning: 'response_type is not code.',
      todo: 'Send response_type=code.',
    },
    invalid_scope: {
      meaning: 'The scope is unknown or missing, or the client is not registered for it.',
      todo: 'Ask for r_profile_apply, r_applications or w_applications, and have the operator register it.',
    },
    access_denied: {
      meaning: 'The candidate pressed Decline.',
      todo: 'Go on without: show your form empty. Do not ask again at once.',
    },
    login_required: {
      meaning: 'You sent prompt=none, and the candidate has to sign in.',
      todo: 'Send the candidate again without prompt=none.',
    },
    consent_required: {
      meaning: 'You sent prompt=none, and the candidate has to be asked.',
      todo: 'Send the candidate again without prompt=none.',
    },
    request_not_supported: {
      meaning: 'The parameter request was sent.',
      todo: 'Send plain parameters.',
    },
    request_uri_not_supported: {
      meaning: 'The parameter request_uri was sent.',
      todo: 'Send plain parameters.',
    },
    temporarily_unavailable: {
      meaning:
        'A part of the service is away, or there were too many requests. Status 503 or 429, or by redirect when you sent one candidate too often.',
      todo: 'Wait as many seconds as Retry-After or error_description says, and repeat.',
    },
    server_error: {
      meaning: 'Something went wrong on our side. Status 500.',
      todo: 'Repeat once, then tell the operator the X-Request-Id.',
    },
  },
} as const

export const sampleTexts = {
  title: 'Code samples',
  intro:
    'Three small programs without dependencies. Each takes its settings from the environment and, without any, talks to the demo. All of them wait as long as Retry-After says when they are told to. You find them in the folder `samples` of the repository; a test runs those in curl, TypeScript and Python against a running service, but not those in C# and PHP.',
  languagesLabel: 'Language',
  languages: { curl: 'curl', typescript: 'TypeScript', python: 'Python', csharp: 'C#', php: 'PHP' },
  programs: {
    collect: {
      label: 'Collect applications',
      text: 'One round of a poller that never misses or repeats an application: run it every minute. What it has stored is its only memory.',
    },
    share: {
      label: 'Read a shared profile',
      text: 'Prints where to send the candidate and listens for them to come back, exchanges the code, gets profile and resume, and reports that the form was sent.',
    },
    apply: {
      label: 'Send an application',
      text: 'Sends an application with its resume, and repeats it until there is an answer: it is stored once, whatever the network does.',
    },
  },
  run: (command: string): Html => html`Run it with <code>${command}</code>.`,
} as const
