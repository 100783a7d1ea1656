import fc from 'fast-check'
import { basic, demoClient } from '../harness/oauth.ts'

export type Pair = readonly [name: string, value: string]

/** Placeholder for the code, the verifier and the like, of which each server has its own. */
export const placeholders = { code: '{code}', verifier: '{verifier}' } as const

/** Mostly valid; otherwise missing, empty, repeated or odd. */
function required(name: string, good: string, ...odd: string[]): fc.Arbitrary<Pair[]> {
  const one = (value: string): Pair[] => [[name, value]]
  return fc.oneof(
    { weight: 16, arbitrary: fc.constant<Pair[]>(one(good)) },
    { weight: 4, arbitrary: fc.constantFrom(...odd).map(one) },
    { weight: 1, arbitrary: fc.constant<Pair[]>([]) },
    { weight: 1, arbitrary: fc.constant<Pair[]>(one('')) },
    { weight: 1, arbitrary: fc.constant<Pair[]>([...one(good), ...one(good)]) },
    { weight: 1, arbitrary: fc.constantFrom(...odd).map(value => [...one(value), ...one(good)]) },
  )
}

/** Mostly absent. */
function optional(name: string, ...values: string[]): fc.Arbitrary<Pair[]> {
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant<Pair[]>([]) },
    { weight: 4, arbitrary: fc.constantFrom(...values).map((value): Pair[] => [[name, value]]) },
    { weight: 1, arbitrary: fc.constant<Pair[]>([[name, '']]) },
  )
}

function inAnyOrder(groups: fc.Arbitrary<Pair[]>[]): fc.Arbitrary<Pair[]> {
  return fc
    .tuple(...groups)
    .chain(found => fc.shuffledSubarray(found, { minLength: found.length, maxLength: found.length }))
    .map(found => found.flat())
}

const uri = demoClient.redirectUri
const oddUris = [
  `${uri}/`,
  `${uri}?x=1`,
  `${uri}#x`,
  'http://127.0.0.1:9091/callback',
  'http://localhost:9090/callback',
  'HTTP://127.0.0.1:9090/callback',
  'http://127.0.0.1:9090/%63allback',
  'http://127.0.0.1:9090/x/../callback',
  'http://mary@127.0.0.1:9090/callback',
  'https://evil.example/',
  'callback',
]

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const verifierOfChallenge = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const pkcePairs: Pair[] = [
  ['code_challenge', challenge],
  ['code_challenge_method', 'S256'],
]

const pkce: fc.Arbitrary<Pair[]> = fc.oneof(
  { weight: 14, arbitrary: fc.constant<Pair[]>([]) },
  { weight: 6, arbitrary: fc.constant(pkcePairs) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Pair[]>(
      [['code_challenge', challenge]],
      [['code_challenge_method', 'S256']],
      ...['plain', 's256', 'S512', ''].map((method): Pair[] => [
        ['code_challenge', challenge],
        ['code_challenge_method', method],
      ]),
      ...[challenge.slice(1), `${challenge}A`, `${challenge}=`, '+'.repeat(43), 'a'.repeat(129), ''].map(
        (value): Pair[] => [
          ['code_challenge', value],
          ['code_challenge_method', 'S256'],
        ],
      ),
    ),
  },
)

const state: fc.Arbitrary<Pair[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Pair[]>([['state', 'state-1']]) },
  { weight: 1, arbitrary: fc.constant<Pair[]>([]) },
  { weight: 1, arbitrary: fc.constant<Pair[]>([['state', '']]) },
  {
    weight: 1,
    arbitrary: fc.constant<Pair[]>([
      ['state', 'a'],
      ['state', 'b'],
    ]),
  },
  {
    weight: 3,
    arbitrary: fc.string({ unit: 'grapheme', minLength: 1 }).map((text): Pair[] => [['state', text]]),
  },
)

/** The parameters of an authorization request. `prompt` is left out: the two servers define it differently. */
export const authorizeRequests = inAnyOrder([
  required('client_id', demoClient.id, 'nobody', 'DEMO-ATS', '__proto__', 'demo-ats ', '\0'),
  required('redirect_uri', uri, ...oddUris),
  required('response_type', 'code', 'token', 'id_token', 'code id_token', 'none', 'CODE', 'code code', 'x'),
  required(
    'scope',
    'r_profile_apply',
    'openid',
    'r_profile_apply openid',
    'x',
    'r_profile_apply x',
    'R_PROFILE_APPLY',
  ),
  state,
  pkce,
  optional('response_mode', 'query', 'fragment', 'form_post', 'x'),
  optional('request', 'x'),
  optional('request_uri', 'https://ats.example.com/request', 'x'),
  optional('advertiser_id', '10000001', '99999999', 'x'),
  optional('unknown', 'x', '{}'),
  optional('__proto__', 'x'),
])

/** Valid. */
export const basicPairs: Pair[] = [
  ['client_id', demoClient.id],
  ['redirect_uri', uri],
  ['response_type', 'code'],
  ['scope', 'r_profile_apply'],
  ['state', 'state-1'],
]

export interface TokenRequest {
  /** Was the code requested with a challenge? */
  hasChallenge: boolean
  fields: Pair[]
  authorization: string | undefined
  contentType: string
}

const percentEncoded = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
const { id, secret } = demoClient
const right = basic(demoClient)

export const authorizations: Record<string, string | undefined> = {
  right,
  'scheme in lower case': right.replace('Basic', 'basic'),
  'percent-encoded': basic({ id: percentEncoded(id), secret: percentEncoded(secret) }),
  none: undefined,
  'wrong secret': basic({ id, secret: 'wrong' }),
  'unknown client': basic({ id: 'nobody', secret }),
  'prototype as client': basic({ id: '__proto__', secret }),
  'empty secret': basic({ id, secret: '' }),
  'no colon': `Basic ${Buffer.from(id).toString('base64')}`,
  'not base64': 'Basic !!!',
  'no value': 'Basic',
  Bearer: `Bearer ${secret}`,
}

/** Valid. */
export function basicRequest(hasChallenge: boolean): TokenRequest {
  const fields: Pair[] = [
    ['grant_type', 'authorization_code'],
    ['code', placeholders.code],
    ['redirect_uri', uri],
    ...(hasChallenge ? [['code_verifier', placeholders.verifier] as Pair] : []),
  ]
  return { hasChallenge, fields, authorization: right, contentType: 'application/x-www-form-urlencoded' }
}

const others = Object.values(authorizations).filter(value => value !== right)

export const tokenRequests: fc.Arbitrary<TokenRequest> = fc.boolean().chain(hasChallenge =>
  fc.record({
    hasChallenge: fc.constant(hasChallenge),
    fields: inAnyOrder([
      required(
        'grant_type',
        'authorization_code',
        'password',
        'refresh_token',
        'Authorization_Code',
        'x',
        '__proto__',
        'client_credentials',
      ),
      required('code', placeholders.code, 'unknown', '__proto__', `${placeholders.code}x`),
      required('redirect_uri', uri, ...oddUris),
      hasChallenge
        ? required(
            'code_verifier',
            placeholders.verifier,
            'wrong',
            challenge,
            'x'.repeat(43),
            'x'.repeat(200),
          )
        : optional('code_verifier', placeholders.verifier, 'x'),
      optional('client_id', id, 'nobody', '__proto__'),
      optional('client_secret', secret, 'wrong'),
      optional('scope', 'r_profile_apply', 'x'),
      optional('unknown', 'x'),
    ]),
    authorization: fc.oneof(
      { weight: 3, arbitrary: fc.constant(right as string | undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    ),
    contentType: fc.oneof(
      { weight: 20, arbitrary: fc.constant('application/x-www-form-urlencoded') },
      { weight: 1, arbitrary: fc.constantFrom('application/json', 'text/plain', 'multipart/form-data') },
      { weight: 1, arbitrary: fc.constant('application/x-www-form-urlencoded; charset=UTF-8') },
    ),
  }),
)
