import { type AuthorizationServer, redirectUri, scope } from './authorization-server.ts'
import type { Bench } from './bench.ts'
import { addAgainstPeer, measure } from './comparison.ts'
import { followUp, type Step } from './connection.ts'
import { anyOf, asking, askOnce, getRequest, postRequest } from './load.ts'
import { type Contender, connections } from './rounds.ts'
import type { Subject } from './subject.ts'

/** A little below the lowest ratio of the last runs, so that a loss shows. */
const exchangeTargets = { SQLite: 2.2, PostgreSQL: 2.1 }
const flowTargets = { SQLite: 1.9, PostgreSQL: 1.8 }

/** The service on one of the databases, and oidc-provider on another like it. */
export interface Pair {
  label: Subject['label']
  ours: AuthorizationServer
  theirs: AuthorizationServer
}

/** Number of warm-up turns: a server's cost halves over its first thousands of flows, and then stays. */
const warmUpTimes = 6

/** Exchanges a code for a token: authenticates the client, checks the code, and writes both durably. */
export async function measureTokenExchange(bench: Bench, pairs: readonly Pair[]): Promise<void> {
  await warmUp(bench, pairs)
  await comparePairs(bench, pairs, 'token exchange', exchangeTargets, 'requests', server => ({
    next: () => exchange(server, server.codes.take()),
    // Both sides get the same number before each turn, and none while it is timed.
    prepare: () => server.codes.refill(),
  }))
}

/** What a browser and a client do when the candidate is signed in and has already consented. */
export async function measureFullFlow(bench: Bench, pairs: readonly Pair[]): Promise<void> {
  await comparePairs(bench, pairs, 'full flow', flowTargets, 'flows', server => ({
    next: () => authorize(server),
  }))
}

/** The same time for each: a server runs for weeks, so a cold one is not representative. */
async function warmUp({ report, pace }: Bench, pairs: readonly Pair[]): Promise<void> {
  report.say('warming up the service and oidc-provider with full flows')
  const warmUpMs = pace.writing.firstMs * warmUpTimes
  for (const server of pairs.flatMap(({ ours, theirs }) => [ours, theirs])) {
    const load = asking({ port: server.process.port, next: () => authorize(server) })
    await load({ connections, warmUpMs, measureMs: 100, watch: [] })
  }
}

async function comparePairs(
  { report, pace }: Bench,
  pairs: readonly Pair[],
  what: string,
  targets: Record<Pair['label'], number>,
  unit: string,
  workOf: (server: AuthorizationServer) => { next(): Step; prepare?(): Promise<void> },
): Promise<void> {
  const contenders: Contender[] = []
  for (const server of pairs.flatMap(({ ours, theirs }) => [ours, theirs])) {
    await assertWorks(server)
    const { next, ...work } = workOf(server)
    contenders.push({
      name: `${what}, ${server.name}`,
      load: asking({ port: server.process.port, next }),
      serverPid: server.process.pid,
      behindPid: server.databasePid,
      ...work,
    })
  }
  const rounds = await measure(report, contenders, pace.writing)
  for (const [index, { label }] of pairs.entries()) {
    const [ours = [], theirs = []] = rounds.slice(index * 2)
    const name = `${what} against oidc-provider, ${label}`
    addAgainstPeer(report, name, ours, theirs, targets[label], unit)
  }
}

/** Runs the whole flow once and checks it. No replay: it would end that candidate's consent with oidc-provider. */
async function assertWorks(server: AuthorizationServer): Promise<void> {
  const { port } = server.process
  const first = authorize(server)
  const redirected = await askOnce(port, first.request)
  if (redirected.status !== first.status) throw unexpected(server, redirected.head)
  const second = followUp(first.follow, redirected.head)
  const { status, body } = await askOnce(port, second.request, { keepBody: true })
  const { access_token, token_type, expires_in } = JSON.parse(body.toString())
  const isOpaque = /^[\w-]{43,}$/.test(access_token)
  if (status !== 200 || !isOpaque || !/^bearer$/i.test(token_type) || expires_in !== 1_200) {
    throw unexpected(server, `${status} ${body}`)
  }
}

const codeInHead = new RegExp(
  `\\r\\nlocation: *${redirectUri.replaceAll('.', '\\.')}\\?(?:\\S*&)?code=([\\w-]+)`,
  'i',
)

export function authorize(server: AuthorizationServer) {
  const { authorizePath, client, cookies, codeLength } = server
  const query = new URLSearchParams({
    client_id: client.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state: 'af0ifjsldkj',
  })
  const cookie = anyOf(cookies)
  const placeholder = '0'.repeat(codeLength)
  return {
    request: getRequest(`${authorizePath}?${query}`, { Cookie: cookie, Accept: 'text/html' }),
    status: 303,
    minBytes: 0,
    maxBytes: 1_000,
    follow: { find: codeInHead, placeholder, step: exchange(server, placeholder) },
  } satisfies Step
}

export function exchange({ tokenPath, client }: AuthorizationServer, code: string): Step {
  const body = `grant_type=authorization_code&code=${code}&redirect_uri=${encodeURIComponent(redirectUri)}`
  const credentials = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  const request = postRequest(tokenPath, body, {
    Authorization: `Basic ${credentials}`,
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/json',
  })
  return { request, status: 200, minBytes: 80, maxBytes: 300 }
}

function unexpected({ name }: AuthorizationServer, what: string): Error {
  return new Error(`${name} does not do what it is measured for: ${what}`)
}
