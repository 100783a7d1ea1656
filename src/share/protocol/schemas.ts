import { Type } from 'typebox'
import { contentResponse, problemResponses, rateLimitHeaders } from '../../http/documents.ts'
import { endpoints } from './metadata.ts'
import { grantTypes, scopes } from './scopes.ts'

export const OAuthErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'A word of RFC 6749, section 5.2.' }),
    error_description: Type.String(),
  },
  {
    $id: 'OAuthError',
    additionalProperties: false,
    description: 'An OAuth error, whatever the Accept header.',
  },
)

const Page = { 'text/html': Type.String() }
const refused = (description: string) =>
  contentResponse(description, { 'application/json': Type.Ref('OAuthError') })

/** Answers of every endpoint that a client authenticates at. */
const clientRefusals = {
  400: refused('The request, the code or the scope is wrong.'),
  401: {
    ...refused('The client is unknown, or its secret is wrong or missing.'),
    headers: { 'WWW-Authenticate': { description: '`Basic`', type: 'string' } },
  },
  403: refused('The demo answers on this machine only.'),
  405: refused('POST only.'),
  413: refused('The body is too large.'),
  414: refused('The URL is too long.'),
  415: refused('The body must be application/x-www-form-urlencoded.'),
  429: refused('Too many requests, or too many failed authentications: see Retry-After.'),
  431: refused('The headers are too large.'),
  500: refused('Our fault.'),
  503: refused('Ask again after Retry-After.'),
}

const basicAuthentication = [{ client: [] }]

export const authorizeSchema = {
  summary: 'Send the candidate here',
  description:
    'For the browser: the candidate signs in, consents and is sent back to redirect_uri with code, state and iss. A refusal goes back the same way with error; a wrong client_id or redirect_uri gives a page.',
  operationId: 'authorize',
  tags: ['Authorization'],
  querystring: Type.Object({
    client_id: Type.String(),
    redirect_uri: Type.String({ description: 'Exactly as it is registered.' }),
    response_type: Type.Literal('code'),
    scope: Type.Literal(scopes.profile),
    state: Type.Optional(Type.String({ description: 'Comes back exactly as it was sent.' })),
    advertiser_id: Type.Optional(
      Type.String({
        description: 'The advertiser on whose behalf the client asks; the token is bound to it.',
      }),
    ),
    code_challenge: Type.Optional(Type.String({ description: 'PKCE (RFC 7636).' })),
    code_challenge_method: Type.Optional(Type.Literal('S256')),
    prompt: Type.Optional(
      Type.String({
        description:
          '`login` asks for the password again, `consent` asks the candidate even where a consent is remembered; both may be sent, separated by a space. `none` shows no page: the answer is a code, or the error `login_required` or `consent_required`.',
      }),
    ),
    max_age: Type.Optional(
      Type.String({
        description:
          'How many seconds ago the candidate may have proved the password; after that it is asked for again.',
      }),
    ),
    login_hint: Type.Optional(
      Type.String({ description: 'The email address that the sign-in form is filled in with.' }),
    ),
  }),
  response: {
    200: contentResponse('The sign-in or the consent page.', Page),
    303: {
      description: 'Back to the client.',
      type: 'null',
      headers: {
        Location: { description: 'redirect_uri with code, or error, state and iss.', type: 'string' },
      },
    },
    400: contentResponse('Wrong client_id or redirect_uri.', Page),
    403: contentResponse('The demo answers on this machine only.', Page),
    405: contentResponse('GET, and POST from the page itself.', Page),
    414: contentResponse('The URL is too long.', Page),
    431: contentResponse('The headers are too large.', Page),
    500: contentResponse('Our fault.', Page),
    503: contentResponse('Ask again after Retry-After.', Page),
  },
}

export const tokenSchema = {
  summary: 'Exchange a code, or get a token for the client itself',
  description: `HTTP Basic with client_id and client_secret; the body is a form. \`grant_type=authorization_code\` takes code, redirect_uri and code_verifier. \`grant_type=client_credentials\` without scope is for completion calls; with \`scope=${scopes.applications}\` and \`advertiser_id\`, which need each other, it gives an agent a credential for version 1; with \`scope=${scopes.intake}\` it gives a job board a token for intake.`,
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
  summary: 'End a token (RFC 7009)',
  description: "Only the client's own tokens end; unknown ones are answered alike.",
  operationId: 'revoke',
  tags: ['Authorization'],
  security: basicAuthentication,
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({ token: Type.String(), token_type_hint: Type.Optional(Type.String()) }),
  response: {
    200: contentResponse(
      'It has no effect any more.',
      { 'application/json': Type.Object({}, { additionalProperties: false }) },
      rateLimitHeaders,
    ),
    ...clientRefusals,
  },
}

const Words = Type.Array(Type.String())
export const metadataSchema = {
  summary: 'Authorization server metadata (RFC 8414)',
  description: `Clients that discover find ${endpoints.authorize} and its sisters here.`,
  operationId: 'metadata',
  tags: ['Authorization'],
  response: {
    200: contentResponse('What is supported.', {
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
