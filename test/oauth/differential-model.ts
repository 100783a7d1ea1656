import { demoClient } from '../harness/oauth.ts'
import type { Outcome } from './differential-outcomes.ts'
import {
  authorizations,
  basicPairs,
  basicRequest,
  type Pair,
  pkcePairs,
  placeholders,
  type TokenRequest,
} from './differential-requests.ts'

/** A fault that both servers refuse alike. */
export interface SharedFault<Request> {
  applies(request: Request): boolean
  outcome: Outcome
}

/** A part of a request that the two treat differently, and why ours is right. */
export interface Deviation<Request> {
  name: string
  applies(request: Request): boolean
  /** A request in which nothing else differs. */
  example: Request
  ours: Outcome
  theirs: Outcome[]
  reason: string
}

export interface Model<Request> {
  shared: SharedFault<Request>[]
  deviations: Deviation<Request>[]
  /** Why the servers may report different faults of several; not given where both check in the same order. */
  order?: string
}

export const severalFaults = 'several faults'

const isGrant = (outcome: Outcome) => /^(granted|form_post$|token$)/.test(outcome)

/**
 * Throws unless the difference follows from the model. Returns the explanation if there is only one possible. Each
 * reported error must be one of the faults, and neither server may grant where both see one.
 */
export function explain<Request>(
  { shared, deviations, order }: Model<Request>,
  request: Request,
  ours: Outcome,
  theirs: Outcome,
): string | undefined {
  const faults = shared.filter(({ applies }) => applies(request))
  const differing = deviations.filter(({ applies }) => applies(request))
  const inWords = `ours: ${ours}, theirs: ${theirs}, ${JSON.stringify(request)}`
  const isOrder = order !== undefined && faults.length > 1
  if (differing.length === 0 && !isOrder) throw new Error(`a difference without a reason; ${inWords}`)

  const ownOutcomes = [...faults.map(({ outcome }) => outcome), ...differing.map(deviation => deviation.ours)]
  const refusals = ownOutcomes.filter(outcome => !isGrant(outcome))
  const expectsGrant = refusals.length === 0
  if (expectsGrant ? !isGrant(ours) : !refusals.includes(ours))
    throw new Error(`not ours to answer; ${inWords}`)
  // A fault that must not be redirected may only be reported on a page, whatever else is wrong.
  if (refusals.includes('page') && ours !== 'page') throw new Error(`no page; ${inWords}`)

  const granting = differing.every(deviation => deviation.theirs.some(isGrant))
  const theirOutcomes = [
    ...faults.map(({ outcome }) => outcome),
    ...differing.flatMap(deviation => deviation.theirs),
  ]
  const isConsistent = isGrant(theirs)
    ? faults.length === 0 && granting && theirOutcomes.includes(theirs)
    : theirOutcomes.includes(theirs)
  if (!isConsistent) throw new Error(`not what the reference does; ${inWords}`)

  if (differing.length === 0) return severalFaults
  return differing.length === 1 && faults.length === 0 ? differing[0]?.name : undefined
}

const valuesOf = (pairs: readonly Pair[], name: string) =>
  pairs.filter(([each]) => each === name).map(([, value]) => value)
/** The one value that counts: an empty one does not. */
const sentValue = (pairs: readonly Pair[], name: string) => valuesOf(pairs, name)[0] || undefined
const isRepeated = (pairs: readonly Pair[], name: string) => valuesOf(pairs, name).length > 1

const oneOf =
  (name: string, ...values: (string | undefined)[]) =>
  (request: Pair[]) =>
    !isRepeated(request, name) && values.includes(sentValue(request, name))

const goodChallenge = pkcePairs[0]?.[1] ?? ''
const longChallenge = `${goodChallenge}A`

function hasPkceFault(request: Pair[]): boolean {
  const [challenge, method] = [
    sentValue(request, 'code_challenge'),
    sentValue(request, 'code_challenge_method'),
  ]
  if (challenge === undefined) return method !== undefined
  return method !== 'S256' || ![goodChallenge, longChallenge].includes(challenge)
}

const isQueryForTokens = (request: Pair[]) =>
  oneOf('response_mode', 'query')(request) &&
  oneOf('response_type', 'token', 'id_token', 'code id_token')(request)

const repeatable = ['response_type', 'scope', 'state']

/** A request that both grant, with these values in place of its own. */
function changed(pairs: readonly Pair[], changes: Record<string, string[]>): Pair[] {
  const kept = pairs.filter(([name]) => !Object.hasOwn(changes, name))
  return [
    ...kept,
    ...Object.entries(changes).flatMap(([name, values]) => values.map((value): Pair => [name, value])),
  ]
}

const goodPairs = (changes: Record<string, string[]>) => changed(basicPairs, changes)
const goodRequest = (changes: Record<string, string[]>): TokenRequest => {
  const request = basicRequest(false)
  return { ...request, fields: changed(request.fields, changes) }
}

export const authorizeModel: Model<Pair[]> = {
  shared: [
    { outcome: 'page', applies: request => isRepeated(request, 'client_id') },
    { outcome: 'page', applies: request => sentValue(request, 'client_id') !== demoClient.id },
    {
      outcome: 'page',
      applies: request =>
        !isRepeated(request, 'redirect_uri') &&
        ![undefined, demoClient.redirectUri].includes(sentValue(request, 'redirect_uri')),
    },
    {
      outcome: 'redirect invalid_request',
      applies: request => repeatable.some(name => isRepeated(request, name)),
    },
    {
      outcome: 'redirect request_not_supported',
      applies: request => sentValue(request, 'request') !== undefined,
    },
    {
      outcome: 'redirect request_uri_not_supported',
      applies: request => sentValue(request, 'request_uri') !== undefined,
    },
    { outcome: 'redirect invalid_request', applies: oneOf('response_type', undefined) },
    {
      outcome: 'redirect unsupported_response_type',
      applies: request =>
        oneOf('response_type', 'token', 'id_token', 'code id_token', 'none', 'CODE', 'x')(request) &&
        !isQueryForTokens(request),
    },
    { outcome: 'redirect invalid_scope', applies: oneOf('scope', 'openid', 'r_profile_apply openid') },
    { outcome: 'redirect invalid_request', applies: hasPkceFault },
  ],
  deviations: [
    {
      name: 'an omitted redirect URI',
      example: goodPairs({ redirect_uri: [] }),
      applies: oneOf('redirect_uri', undefined),
      ours: 'page',
      theirs: ['granted'],
      reason:
        'The reference takes the only registered one in its place, as RFC 6749 §3.1.2.3 allows; behaviour 2 wants it sent.',
    },
    {
      name: 'a repeated redirect URI',
      example: goodPairs({ redirect_uri: [demoClient.redirectUri, demoClient.redirectUri] }),
      applies: request => isRepeated(request, 'redirect_uri'),
      ours: 'page',
      theirs: ['redirect invalid_request'],
      reason:
        'RFC 6749 §4.1.2.1: with an invalid redirect URI nobody is redirected. The reference takes the registered one.',
    },
    {
      name: 'an advertiser that is none',
      example: goodPairs({ advertiser_id: ['99999999'] }),
      applies: oneOf('advertiser_id', '99999999', 'x'),
      ours: 'redirect invalid_request',
      theirs: ['granted'],
      reason:
        'Contract §3: advertiser_id must be an active advertiser. To the reference it is an unknown parameter.',
    },
    {
      name: 'response_mode=fragment',
      example: goodPairs({ response_mode: ['fragment'] }),
      applies: oneOf('response_mode', 'fragment'),
      ours: 'redirect invalid_request',
      theirs: ['granted in the fragment'],
      reason: 'Behaviour 21: only query. The reference has the mode.',
    },
    {
      name: 'response_mode=form_post',
      example: goodPairs({ response_mode: ['form_post'] }),
      applies: oneOf('response_mode', 'form_post'),
      ours: 'redirect invalid_request',
      // It reports errors in a form too, with status 400.
      theirs: ['form_post', 'page'],
      reason: 'Behaviour 21: only query. The reference has the mode.',
    },
    {
      name: 'an unknown response_mode',
      example: goodPairs({ response_mode: ['x'] }),
      applies: oneOf('response_mode', 'x'),
      ours: 'redirect invalid_request',
      theirs: ['redirect unsupported_response_mode'],
      reason: 'Behaviour 21 wants invalid_request; the word of the reference is in no RFC.',
    },
    {
      name: 'tokens by query',
      example: goodPairs({ response_type: ['token'], response_mode: ['query'] }),
      applies: isQueryForTokens,
      ours: 'redirect unsupported_response_type',
      theirs: ['redirect invalid_request'],
      reason: 'Behaviour 5. The reference first sees that such a response must not go into a query.',
    },
    {
      name: 'no scope that is known',
      example: goodPairs({ scope: ['x'] }),
      applies: oneOf('scope', undefined, 'x', 'R_PROFILE_APPLY'),
      ours: 'redirect invalid_scope',
      theirs: ['redirect access_denied'],
      reason:
        'RFC 6749 §3.3: fail with invalid_scope. The reference strikes the unknown ones out and finds nothing left to grant.',
    },
    {
      name: 'a scope too many',
      example: goodPairs({ scope: ['r_profile_apply x'] }),
      applies: oneOf('scope', 'r_profile_apply x'),
      ours: 'redirect invalid_scope',
      theirs: ['granted'],
      reason:
        'Behaviour 6: a wider scope is refused. The reference strikes the unknown one out (RFC 6749 §3.3 allows both).',
    },
    {
      name: 'a challenge that is no SHA-256',
      example: goodPairs({ code_challenge: [longChallenge], code_challenge_method: ['S256'] }),
      applies: request =>
        oneOf('code_challenge', longChallenge)(request) && oneOf('code_challenge_method', 'S256')(request),
      ours: 'redirect invalid_request',
      theirs: ['granted'],
      reason:
        'Behaviour 24: malformed. The reference goes by the length of RFC 7636 §4.2, 43 to 128, and issues a code that no verifier fits.',
    },
    {
      name: 'code code',
      example: goodPairs({ response_type: ['code code'] }),
      applies: oneOf('response_type', 'code code'),
      ours: 'redirect unsupported_response_type',
      theirs: ['granted'],
      reason: 'RFC 6749 §3.1.1: unknown combinations are refused. The reference takes the words as a set.',
    },
  ],
}

const field =
  (name: string, ...values: (string | undefined)[]) =>
  ({ fields }: TokenRequest) =>
    oneOf(name, ...values)(fields)
const withHeader =
  (...names: string[]) =>
  ({ authorization }: TokenRequest) =>
    names.some(name => authorizations[name] === authorization)
const both =
  (...conditions: ((request: TokenRequest) => boolean)[]) =>
  (request: TokenRequest) =>
    conditions.every(condition => condition(request))
const not = (condition: (request: TokenRequest) => boolean) => (request: TokenRequest) => !condition(request)

const isCodeGrant = field('grant_type', 'authorization_code')
const isClientGrant = field('grant_type', 'client_credentials')
const isMalformedVerifier = field('code_verifier', 'wrong', 'x', 'x'.repeat(200))
const hasWrongHeader = withHeader('wrong secret', 'unknown client', 'prototype as client')
const hasRightHeader = withHeader('right', 'scheme in lower case', 'percent-encoded')
const hasBasicHeader = (request: TokenRequest) => hasRightHeader(request) || hasWrongHeader(request)
const hasRightBody = both(field('client_id', demoClient.id), field('client_secret', demoClient.secret))
const hasFittingVerifier = (request: TokenRequest) =>
  field('code_verifier', request.hasChallenge ? placeholders.verifier : undefined)(request)
const bodyNames = ['grant_type', 'code', 'redirect_uri', 'code_verifier']
const isAnyRepeated = ({ fields }: TokenRequest) => bodyNames.some(name => isRepeated(fields, name))

export const tokenModel: Model<TokenRequest> = {
  order:
    'RFC 6749 §5.2 has no order. Ours reads the whole body before it asks who sent it; the reference asks first.',
  shared: [
    { outcome: '400 invalid_request', applies: isAnyRepeated },
    { outcome: '400 invalid_request', applies: field('grant_type', undefined) },
    { outcome: '400 invalid_request', applies: both(isCodeGrant, field('code', undefined)) },
    {
      outcome: '400 unsupported_grant_type',
      applies: field('grant_type', 'password', 'refresh_token', 'Authorization_Code', 'x', '__proto__'),
    },
    {
      outcome: '401 invalid_client',
      applies: hasWrongHeader,
    },
    {
      outcome: '401 invalid_client',
      applies: both(withHeader('none'), not(field('client_id', undefined)), not(hasRightBody)),
    },
    {
      outcome: '400 invalid_grant',
      applies: both(isCodeGrant, field('code', 'unknown', '__proto__', `${placeholders.code}x`)),
    },
    {
      outcome: '400 invalid_grant',
      applies: both(
        isCodeGrant,
        not(field('redirect_uri', undefined, demoClient.redirectUri)),
        not(isAnyRepeated),
      ),
    },
    {
      outcome: '400 invalid_grant',
      applies: both(isCodeGrant, not(hasFittingVerifier), not(isMalformedVerifier), not(isAnyRepeated)),
    },
    {
      outcome: '400 invalid_request',
      applies: both(hasBasicHeader, field('client_id', 'nobody', '__proto__')),
    },
    { outcome: '400 invalid_request', applies: both(hasBasicHeader, field('client_secret', 'wrong')) },
    {
      outcome: '400 invalid_request',
      applies: both(withHeader('unknown client', 'prototype as client'), field('client_id', demoClient.id)),
    },
  ],
  deviations: [
    {
      name: 'an omitted redirect URI',
      example: goodRequest({ redirect_uri: [] }),
      applies: both(isCodeGrant, field('redirect_uri', undefined)),
      ours: '400 invalid_request',
      theirs: ['token'],
      reason: 'Behaviour 32: it is required. The reference takes the only registered one in its place.',
    },
    {
      name: 'a malformed verifier',
      example: goodRequest({ code_verifier: ['x'] }),
      applies: both(isCodeGrant, isMalformedVerifier),
      ours: '400 invalid_grant',
      theirs: ['400 invalid_request'],
      reason:
        'RFC 7636 §4.6: values that do not fit are an invalid_grant. The reference looks at the form of the verifier first.',
    },
    {
      name: 'client_credentials without scope',
      example: goodRequest({ grant_type: ['client_credentials'] }),
      applies: both(isClientGrant, field('scope', undefined)),
      ours: 'token',
      theirs: ['400 unsupported_grant_type'],
      reason:
        'Contract §4: the completion call needs such a token. The reference is not set up for the grant.',
    },
    {
      name: 'client_credentials with a scope',
      example: goodRequest({ grant_type: ['client_credentials'], scope: ['x'] }),
      applies: both(isClientGrant, field('scope', 'r_profile_apply', 'x')),
      ours: '400 invalid_scope',
      theirs: ['400 unsupported_grant_type'],
      reason: 'Contract §2: r_applications only. The reference is not set up for the grant.',
    },
    {
      name: 'a body that is no form',
      example: { ...goodRequest({}), contentType: 'application/json' },
      applies: ({ contentType }) => !contentType.startsWith('application/x-www-form-urlencoded'),
      ours: '415 invalid_request',
      theirs: ['400 invalid_request'],
      reason: 'Contract §1: 415 is the status for a wrong content type; the error is the same.',
    },
    {
      name: 'no client credentials that can be read',
      example: { ...goodRequest({}), authorization: undefined },
      applies: request =>
        withHeader('no colon', 'not base64', 'no value', 'empty secret', 'Bearer')(request) ||
        both(withHeader('none'), field('client_id', undefined))(request),
      ours: '401 invalid_client',
      theirs: ['400 invalid_request'],
      reason:
        'Behaviour 33: absent, unknown and wrong are told alike, with a Basic challenge (RFC 6749 §5.2).',
    },
    {
      name: 'the same secret in header and body',
      example: goodRequest({ client_secret: [demoClient.secret] }),
      applies: both(hasBasicHeader, field('client_secret', demoClient.secret)),
      ours: 'token',
      theirs: ['400 invalid_request'],
      reason:
        'Behaviour 35: an equal one is tolerated. The reference refuses two ways at once (RFC 6749 §2.3).',
    },
  ],
}
