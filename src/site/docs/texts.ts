import { type Html, html } from '../../web/html.ts'

export const docsTexts = {
  docsLabel: 'Developers',
  onThisPage: 'On this page',
  wayOnLabel: 'Previous and next',
  previous: 'Previous:',
  next: 'Next:',
  menu: 'Menu',
  skip: 'Skip the navigation',
  code: {
    copy: 'Copy',
    copied: 'Copied',
    code: 'Code',
    /** By the name of a fence in Markdown. */
    titles: {
      sh: 'Shell',
      json: 'JSON',
      xml: 'XML',
      python: 'Python',
      typescript: 'TypeScript',
      http: 'Request',
    } as Record<string, string | undefined>,
    response: (status: number): Html => html`Response <span class="quiet">${status}</span>`,
  },
  groups: { guides: 'Guides', reference: 'Reference', more: 'More' },
  pages: {
    start: 'Start',
    share: 'Share a profile',
    apply: 'Send applications',
    collect: 'Collect applications',
    polling: 'Polling without gaps',
    follow: 'Following what happens',
    webhooks: 'Receiving webhooks',
    errors: 'Errors',
    limits: 'Limits',
    sdk: 'SDK',
    samples: 'Code samples',
    reference: 'API reference',
    changelog: 'Changelog',
  },
  doorsTitle: 'Where to go next',
  doors: {
    share: 'Fill in your own form with the profile and resume a candidate shares. OAuth 2.0.',
    apply: 'Send us applications, job ads and questionnaires from your own site.',
    collect: 'Get an advertiser’s applications with their files, in JSON or XML.',
    polling: 'What to store and when to poll, so that you miss no application and get none twice.',
    follow:
      'How to learn of new applications, verdicts, withdrawals and erasures at once, without reading the list again.',
    webhooks: 'Have events sent to you: how to verify, answer and never lose one.',
    errors: 'Every error code: what it means and what to do.',
    limits: 'Sizes, rates and times, each with its reason.',
    sdk: 'A client for TypeScript and Python that stays in sync by itself, without dependencies.',
    samples: 'Four small programs, in curl, TypeScript, Python, C# and PHP.',
    reference: 'Every call with its parameters and responses. Try them from the page.',
    changelog: 'What is new, version by version.',
  },
  notDemo: (): Html =>
    html`<p>This service holds real data. The examples on these pages are for the demo, which runs on your own machine: run <code>npm start</code> in a checkout, and it listens on <code>http://localhost:8080</code> with the credentials shown here.</p>`,
} as const

export const searchTexts = {
  title: 'Search',
  label: 'Search docs',
  button: 'Search',
  hint: 'Search for a word, a path, a field or an error code.',
  none: (query: string) => `Nothing found for “${query}”. Try fewer or shorter words.`,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  /** Messages of `docs.js`, which fills in the placeholders. */
  script: {
    placeholder: 'Search docs (Ctrl K)',
    results: 'Results',
    one: '1 result',
    many: '{} results',
    all: 'Show all results',
    none: 'Nothing found. Try fewer or shorter words.',
    failed: 'Couldn’t load the search index. Press Enter to search on the server.',
  },
} as const

export const errorTexts = {
  title: 'Errors',
  intro:
    'Outside OAuth, errors are problem details (RFC 9457): `application/problem+json`, or `application/problem+xml` if you prefer XML. Branch on `code`, whose meaning never changes; show `detail` to people; give `requestId` to the operator, who can find the cause in the log. `type` links to the code on this page.',
  byStatus: 'By status',
  byStatusText: 'If your program doesn’t know a code, the status is enough to do the right thing:',
  codes: 'Problem codes',
  oauth: 'OAuth errors',
  oauthIntro:
    'The token and revocation endpoints return `error` and `error_description` in JSON, as RFC 6749 specifies. The authorization endpoint sends them to your redirect URI with your `state` and our `iss`; if it cannot trust that URI, it shows the candidate an error page instead.',
  statusColumn: 'Status',
  doColumn: 'What to do',
  codeColumn: 'Code',
  meaningColumn: 'Meaning',
  status: (status: number) => `HTTP ${status}`,
  statuses: [
    ['400, 404, 405, 406, 413, 414, 415, 416, 422', 'Don’t retry unchanged: fix the request.'],
    ['401', 'Get a new token. If it is an SWS credential, stop and alert someone.'],
    ['403', 'Stop and alert someone: access has to be granted first.'],
    ['409', 'Check the code: wait and retry, or use a new key.'],
    ['429, 503', 'Wait the number of seconds in Retry-After, then retry.'],
    [
      '500, and no response at all',
      'Retry with exponential backoff. Repeating a read is harmless; write with an Idempotency-Key.',
    ],
  ],
  oauthErrors: {
    invalid_request: {
      meaning: 'A parameter is missing, repeated or malformed.',
      todo: 'error_description names it. Fix the request.',
    },
    invalid_client: {
      meaning: 'The client is unknown, or its secret is wrong or missing. Status 401.',
      todo: 'Check client_id and client_secret, and send them with HTTP Basic or in the body, not both. Repeated failures are throttled with 429.',
    },
    invalid_grant: {
      meaning:
        'The code is unknown, has expired, has been used, or belongs to another client, redirect_uri or code_verifier.',
      todo: 'Send the candidate through the authorization endpoint again: it takes one redirect while the consent is remembered. Never resend a code whose exchange may have succeeded: that revokes its token.',
    },
    unauthorized_client: {
      meaning:
        'The client may not have this token: no advertiser with that ID has authorised it, or the advertiser is on hold.',
      todo: 'Ask the advertiser to authorise the agent. Which reason applies is deliberately not disclosed.',
    },
    unsupported_grant_type: {
      meaning: 'grant_type is neither authorization_code nor client_credentials.',
      todo: 'Use one of the two: there are no refresh tokens and no password grants.',
    },
    unsupported_response_type: {
      meaning: 'response_type is not code.',
      todo: 'Send response_type=code.',
    },
    invalid_scope: {
      meaning: 'The scope is unknown or missing, or the client is not registered for it.',
      todo: 'Ask for r_profile_apply, r_applications, w_applications or m_webhooks, and have the operator register it.',
    },
    access_denied: {
      meaning: 'The candidate declined.',
      todo: 'Continue without the profile: show your form empty. Don’t ask again right away.',
    },
    login_required: {
      meaning: 'You sent prompt=none, but the candidate has to sign in.',
      todo: 'Send the candidate again without prompt=none.',
    },
    consent_required: {
      meaning: 'You sent prompt=none, but the candidate has to give consent.',
      todo: 'Send the candidate again without prompt=none.',
    },
    request_not_supported: {
      meaning: 'You sent the parameter request.',
      todo: 'Send plain parameters.',
    },
    request_uri_not_supported: {
      meaning: 'You sent the parameter request_uri.',
      todo: 'Send plain parameters.',
    },
    temporarily_unavailable: {
      meaning:
        'Part of the service is unavailable, or there were too many requests. Status 503 or 429, or a redirect if you sent the same candidate too often.',
      todo: 'Wait the number of seconds in Retry-After or error_description, then retry.',
    },
    server_error: {
      meaning: 'Something went wrong on our side. Status 500.',
      todo: 'Retry once, then give the operator the X-Request-Id.',
    },
  },
} as const

export const sampleTexts = {
  title: 'Code samples',
  intro:
    'Four small programs without dependencies. Each reads its settings from the environment; without any, it talks to the demo. All of them honour Retry-After. They are in the folder `samples` of the repository. The tests run them against a running service, except those in C#.',
  languagesLabel: 'Language',
  languages: { curl: 'curl', typescript: 'TypeScript', python: 'Python', csharp: 'C#', php: 'PHP' },
  programs: {
    collect: {
      label: 'Collect applications',
      text: 'One round of a poller that never misses or repeats an application: run it every minute. Its only state is what it has stored.',
    },
    follow: {
      label: 'Follow events',
      text: 'Waits for what happens and prints it, without gap or repetition, also after a crash. Its only state is what it has stored.',
    },
    share: {
      label: 'Read a shared profile',
      text: 'Prints the link for the candidate, waits for the redirect, exchanges the code, gets the profile and resume, and reports completion.',
    },
    apply: {
      label: 'Send an application',
      text: 'Sends an application with its resume, and retries until it gets a response. The application is stored once, even if the network fails.',
    },
  },
  run: (command: string): Html => html`Run it with <code>${command}</code>.`,
} as const
