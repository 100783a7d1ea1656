import { problemCodes, problems } from '../../model/problems.ts'
import { badge } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import type { OAuthErrorCode } from '../../share/protocol/errors.ts'
import { heading, withCode } from './markup.ts'
import type { Section } from './navigation-markup.ts'

/** Includes `internal`, which no rule throws. */
type ShownOAuthError = OAuthErrorCode | 'server_error'

export const errorSections: readonly Section[] = [
  { id: 'by-status', label: 'By status' },
  { id: 'codes', label: 'Problem codes' },
  { id: 'oauth', label: 'OAuth errors' },
]

/** All errors a caller can get. The element IDs are the codes: `/problems/{code}` redirects browsers to them. */
export function errorsMarkup(): Html {
  return html`<p>${withCode('Outside OAuth, errors are problem details (RFC 9457): `application/problem+json`, or `application/problem+xml` if you prefer XML. Branch on `code`, whose meaning never changes; show `detail` to people; give `requestId` to the operator, who can find the cause in the log. `type` links to the code on this page.')}</p>
${heading(2, 'by-status', 'By status')}<p>If your program doesn’t know a code, the status is enough to do the right thing:</p>
<table class="guide"><thead><tr><th scope="col">Status</th><th scope="col">What to do</th></tr></thead>
<tbody>${statuses.map(([status, todo]) => html`<tr><td>${status}</td><td>${todo}</td></tr>`)}</tbody></table>
${heading(2, 'codes', 'Problem codes')}${problemCodes.map(
  code => html`<section class="error">${heading(3, code, html`<code>${code}</code>`)}
<p>${badge('neutral', `HTTP ${problems[code].status}`)} <strong>${problems[code].title}.</strong> ${problems[code].help}</p></section>
`,
)}${heading(2, 'oauth', 'OAuth errors')}<p>${withCode('The token and revocation endpoints return `error` and `error_description` in JSON, as RFC 6749 specifies. The authorization endpoint sends them to your redirect URI with your `state` and our `iss`; if it cannot trust that URI, it shows the candidate an error page instead.')}</p>
${Object.entries(oauthErrors).map(
  ([code, { meaning, todo }]) => html`<section class="error">${heading(3, code, html`<code>${code}</code>`)}
<p><strong>${meaning}</strong> ${todo}</p></section>
`,
)}`
}

const statuses = [
  ['400, 404, 405, 406, 413, 414, 415, 416, 422', 'Don’t retry unchanged: fix the request.'],
  ['401', 'Get a new token. If it is an SWS credential, stop and alert someone.'],
  ['403', 'Stop and alert someone: access has to be granted first.'],
  ['409', 'Check the code: wait and retry, or use a new key.'],
  ['429, 503', 'Wait the number of seconds in Retry-After, then retry.'],
  [
    '500, and no response at all',
    'Retry with exponential backoff. Repeating a read is harmless; write with an Idempotency-Key.',
  ],
]

const oauthErrors: Record<ShownOAuthError, { meaning: string; todo: string }> = {
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
  unsupported_response_type: { meaning: 'response_type is not code.', todo: 'Send response_type=code.' },
  invalid_scope: {
    meaning: 'The scope is unknown or missing, or the client is not registered for it.',
    todo: 'Ask for r_profile_apply, r_applications, w_progress, w_applications or m_webhooks, and have the operator register it.',
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
  request_not_supported: { meaning: 'You sent the parameter request.', todo: 'Send plain parameters.' },
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
}
