import { problemResponses } from '../../model/problem-responses.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { contentResponse, rateLimitHeaders } from '../../platform/http/documents.ts'
import { endpoints } from './metadata.ts'
import { grantTypes, scopes } from './scopes.ts'

export const OAuthErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'An error code of RFC 6749, section 5.2.' }),
    error_description: Type.String(),
  },
  {
    $id: 'OAuthError',
    additionalProperties: false,
    description: 'An OAuth error. Always JSON, whatever the Accept header.',
  },
)

const Page = { 'text/html': Type.String() }
const refused = (description: string) =>
  contentResponse(description, { 'application/json': Type.Ref('OAuthError') })

/** Error responses of the endpoints at which a client authenticates. */
const clientRefusals = {
  400: refused('The request, code or scope is invalid.'),
  401: {
    ...refused('The client is unknown, or its secret is wrong or missing.'),
    headers: { 'WWW-Authenticate': { description: '`Basic`', type: 'string' } },
  },
  403: refused('The demo is reachable from this machine only.'),
  405: refused('POST only.'),
  413: refused('The body is too large.'),
  414: refused('The URL is too long.'),
  415: refused('The body must be application/x-www-form-urlencoded.'),
  429: refused('Too many requests, or too many failed authentications: see Retry-After.'),
  431: refused('The headers are too large.'),
  500: refused('Server error.'),
  503: refused('Temporarily unavailable: retry after Retry-After.'),
}

const basicAuthentication = [{ client: [] }]

export const authorizeSchema = {
  summary: 'Send the candidate here',
  description:
    'For the browser. The candidate signs in, gives consent and is redirected to redirect_uri with code, state and iss. Errors are redirected the same way with error; an invalid client_id or redirect_uri shows a page instead.',
  operationId: 'authorize',
  tags: ['Authorization'],
  querystring: Type.Object({
    client_id: Type.String({ description: 'The ID that the client got when it was registered.' }),
    redirect_uri: Type.String({ description: 'Exactly as registered.' }),
    response_type: Type.Literal('code', { description: 'The authorization code flow.' }),
    scope: Type.Literal(scopes.profile, { description: 'The profile of the candidate, to prefill a form.' }),
    state: Type.Optional(Type.String({ description: 'Returned exactly as sent.' })),
    advertiser_id: Type.Optional(
      Type.String({
        description:
          'The advertiser on whose behalf the client asks; the token is bound to it. A client of an agent may name only advertisers that authorise the agent.',
      }),
    ),
    code_challenge: Type.Optional(Type.String({ description: 'PKCE (RFC 7636).' })),
    code_challenge_method: Type.Optional(
      Type.Literal('S256', { description: 'The method of `code_challenge`.' }),
    ),
    prompt: Type.Optional(
      Type.String({
        description:
          '`login` asks for the password again, `consent` asks the candidate even if a consent is remembered; to send both, separate them with a space. `none` shows no page: the response is a code, or the error `login_required` or `consent_required`.',
      }),
    ),
    max_age: Type.Optional(
      Type.String({
        description:
          'Maximum seconds since the candidate last signed in; if more have passed, the password is asked for again.',
      }),
    ),
    login_hint: Type.Optional(Type.String({ description: 'Email address to prefill in the sign-in form.' })),
  }),
  response: {
    200: contentResponse('The sign-in or consent page.', Page),
    303: {
      description: 'Back to the client.',
      type: 'null',
      headers: {
        Location: { description: 'redirect_uri with code, or error, state and iss.', type: 'string' },
      },
    },
    400: contentResponse('Invalid client_id or redirect_uri.', Page),
    403: contentResponse('The demo is reachable from this machine only.', Page),
    405: contentResponse('GET only; POST is for the page itself.', Page),
    414: contentResponse('The URL is too long.', Page),
    431: contentResponse('The headers are too large.', Page),
    500: contentResponse('Server error.', Page),
    503: contentResponse('Temporarily unavailable: retry after Retry-After.', Page),
  },
}

export const tokenSchema = {
  summary: 'Exchange a code, or get a token for the client itself',
  description: `Authenticate by HTTP Basic with client_id and client_secret; the body is a form. \`grant_type=authorization_code\` takes code, redirect_uri and code_verifier. \`grant_type=client_credentials\` without scope returns a token for completion calls; with \`advertiser_id\` and \`scope=${scopes.applications}\`, \`scope=${scopes.progress}\` or both, separated by a space, it returns a token for version 1 to an agent: the first to read applications, the second to report progress; with \`scope=${scopes.intake}\` it returns a token for intake to a job board; with \`scope=${scopes.webhooks}\` it returns a token for the webhook endpoints of an agent.`,
  operationId: 'token',
  tags: ['Authorization'],
  security: basicAuthentication,
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({
    grant_type: Type.Enum([...grantTypes]),
    code: Type.Optional(Type.String()),
    redirect_uri: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    advertiser_id: Type.Optional(Type.String()),
  }),
  response: {
    200: contentResponse(
      'The token.',
      {
        'application/json': Type.Object(
          {
            access_token: Type.String(),
            token_type: Type.Literal('bearer'),
            expires_in: Type.Integer({ description: 'Seconds.' }),
          },
          { additionalProperties: false },
        ),
      },
      rateLimitHeaders,
    ),
    ...clientRefusals,
  },
}

export const revokeSchema = {
  summary: 'Revoke a token (RFC 7009)',
  description: "Revokes only the client's own tokens; the response is the same for unknown ones.",
  operationId: 'revoke',
  tags: ['Authorization'],
  security: basicAuthentication,
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({ token: Type.String(), token_type_hint: Type.Optional(Type.String()) }),
  response: {
    200: contentResponse(
      'The token is no longer valid.',
      { 'application/json': Type.Object({}, { additionalProperties: false }) },
      rateLimitHeaders,
    ),
    ...clientRefusals,
  },
}

const Words = Type.Array(Type.String())
export const metadataSchema = {
  summary: 'Authorization server metadata (RFC 8414)',
  description: `For clients that use discovery: the addresses of ${endpoints.authorize} and the other endpoints.`,
  operationId: 'metadata',
  tags: ['Authorization'],
  response: {
    200: contentResponse('The supported features.', {
      'application/json': Type.Object(
        {
          issuer: Type.String(),
          authorization_endpoint: Type.String(),
          token_endpoint: Type.String(),
          revocation_endpoint: Type.String(),
          scopes_supported: Words,
          response_types_supported: Words,
          response_modes_supported: Words,
          grant_types_supported: Words,
          token_endpoint_auth_methods_supported: Words,
          revocation_endpoint_auth_methods_supported: Words,
          code_challenge_methods_supported: Words,
          prompt_values_supported: Words,
          authorization_response_iss_parameter_supported: Type.Boolean(),
        },
        { additionalProperties: false },
      ),
    }),
    ...problemResponses([]),
  },
}
