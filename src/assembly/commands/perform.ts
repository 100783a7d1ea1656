import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { InvalidArgumentError } from 'commander'
import {
  type ApplyClient,
  clientAnswerMs,
  createApplyClient,
  newPkce,
  type Prefill,
  StepFailure,
} from '../../demo/careers-client/apply-client.ts'
import type { Exchange } from '../../demo/careers-client/apply-exchange.ts'
import { defaultOption, flag, negatedFlag, numericId, option } from '../../platform/cli/arguments.ts'
import { group } from '../../platform/cli/command.ts'
import { CommandError } from '../../platform/cli/command-error.ts'
import { isLoopbackHost } from '../../platform/core/addresses/loopback.ts'
import { randomWord } from '../../platform/core/ids.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { hashSecret, isSameHash } from '../../platform/core/secrets.ts'
import { createServer } from '../../platform/http/node-http.ts'
import { FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { type Context, configOf } from '../process/context.ts'
import { plainCommand } from './command.ts'

/** Published with the demo world, and useless elsewhere. */
const demo = { id: 'demo-ats', secret: 'demo-ats-secret', advertiserId: 10000001 }

interface Options {
  clientId: string
  clientSecret: string | undefined
  redirectUri: string
  authUrl: string | undefined
  baseUrl: string | undefined
  advertiserId: number
  pkce: boolean
  timeout: number
  verbose: boolean
}

export const perform = group('Run a flow against a running service, as a client would.', {
  'authorization-code': plainCommand({
    about:
      'Let a candidate authorise a client in the browser, then prefill, fetch the resume and complete. Uses the client of the demo world by default.',
    options: {
      clientId: defaultOption('<id>', 'the client', demo.id),
      clientSecret: option(
        '<secret>',
        'its secret; preferably set in the environment as DOSSIER_CLIENT_SECRET',
      ),
      redirectUri: defaultOption(
        '<uri>',
        'one of its redirect URIs, http on this machine; this command listens there',
        'http://127.0.0.1:9090/callback',
        loopbackUri,
      ),
      baseUrl: option('<url>', 'URL of the API (default: BASE_URL, or this machine)', origin),
      authUrl: option(
        '<url>',
        'URL of the authorization server (default: AUTH_URL, or the base URL)',
        origin,
      ),
      advertiserId: defaultOption(
        '<id>',
        'advertiser that the candidate applies to',
        demo.advertiserId,
        numericId,
      ),
      pkce: negatedFlag('without PKCE, like older clients'),
      timeout: defaultOption('<seconds>', 'how long to wait for the candidate', 600, waitSeconds),
      verbose: flag('print each request and response, without secrets'),
    },
    run: performAuthorizationCode,
  }),
})

async function performAuthorizationCode(context: Context, options: Options): Promise<void> {
  const config = configOf(context)
  const baseUrl = options.baseUrl ?? config.BASE_URL ?? `http://localhost:${config.PORT}`
  const authUrl = options.authUrl ?? config.AUTH_URL ?? baseUrl
  const ended = new AbortController()
  const client = createApplyClient({
    // Aborts running requests when the command ends.
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.any([ended.signal, init?.signal ?? ended.signal]) }),
    baseUrl,
    authUrl,
    clientId: options.clientId,
    clientSecret: secretOf(context, options),
    redirectUri: options.redirectUri,
    timeoutMs: clientAnswerMs,
    onExchange: exchange => context.print(exchangeText(exchange, options.verbose)),
  })
  const stopped = context.untilStopRequested().then(signal => {
    throw new CommandError(`Stopped by ${signal}.`)
  })
  try {
    await Promise.race([stopped, runFlow(context, options, client, authUrl, ended.signal)])
  } catch (error) {
    throw error instanceof StepFailure ? new CommandError(error.message) : error
  } finally {
    ended.abort()
  }
}

async function runFlow(
  { print }: Context,
  options: Options,
  client: ApplyClient,
  authUrl: string,
  ended: AbortSignal,
): Promise<void> {
  const state = randomWord(32)
  const advertiserId = String(options.advertiserId)
  const pkce = options.pkce ? newPkce() : undefined
  const isOurs = (query: FormFields) => isSameHash(hashSecret(query.get('state') ?? ''), hashSecret(state))
  const listener = await listen(options.redirectUri, isOurs)
  ended.addEventListener('abort', listener.close)
  const url = client.authorizeUrl({ state, advertiserId, challenge: pkce?.challenge })
  print(`Open this address in a browser, sign in and decide:\n\n  ${url}\n\n`)
  print(`Waiting on ${options.redirectUri} (Ctrl-C to stop) ...\n\n`)
  const code = codeIn(await answerWithin(options.timeout, listener, ended), authUrl)
  listener.close()
  print('The browser returned with a code; state and iss are correct.\n')

  const token = await client.redeem(code, pkce?.verifier)
  const prefill = await client.prefill(token, {
    advertiserId,
    applicationFormUrl: new URL('/apply', options.redirectUri).href,
    positionTitle: 'A job',
  })
  print(summary(prefill))
  if (prefill.resume !== null) {
    const { fileName, size, kind } = await client.downloadResume(token, prefill.resume.link)
    print(`  resume: ${fileName}, ${size} bytes, ${kind}\n`)
  }
  await client.complete(await client.clientToken(), prefill.complete, new Date())
  print('\nDone: the candidate sees the application as submitted.\n')
}

function secretOf({ environment }: Context, { clientId, clientSecret }: Options): string {
  const secret = clientSecret ?? environment['DOSSIER_CLIENT_SECRET']
  if (secret !== undefined && secret !== '') return secret
  if (clientId === demo.id) return demo.secret
  throw new CommandError(`Give the secret of ${clientId} in DOSSIER_CLIENT_SECRET or with --client-secret.`)
}

async function listen(
  redirectUri: string,
  isOurs: (query: FormFields) => boolean,
): Promise<CallbackListener> {
  try {
    return await listenForCallback(redirectUri, isOurs)
  } catch (error) {
    throw new CommandError(`Cannot listen on ${redirectUri} (${reasonOf(error)}).`)
  }
}

async function answerWithin(
  seconds: number,
  { callback }: CallbackListener,
  ended: AbortSignal,
): Promise<FormFields> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new CommandError(`The browser did not return within ${seconds} s.`))
  const timer = setTimeout(giveUp, seconds * 1000)
  // A remaining timer would keep the process running.
  ended.addEventListener('abort', giveUp)
  try {
    return await Promise.race([callback, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function codeIn(callback: FormFields, authUrl: string): string {
  // RFC 9207: a response from another server must not be redeemed at this one.
  const iss = callback.get('iss')
  if (iss !== authUrl)
    throw new CommandError(`The response names the issuer ${iss ?? '(none)'} instead of ${authUrl}.`)
  if (callback.get('error') === 'access_denied') {
    throw new CommandError('The candidate declined; nothing was shared.')
  }
  const code = callback.get('code')
  if (code !== undefined) return code
  const reasons = [callback.get('error') ?? 'neither code nor error', callback.get('error_description')]
  throw new CommandError(
    `The authorization server rejected the request: ${reasons.filter(Boolean).join(', ')}.`,
  )
}

function exchangeText(
  { title, why, request, response = 'no response' }: Exchange,
  isVerbose: boolean,
): string {
  if (!isVerbose) return `${title}: ${response.split('\n', 1)[0]}\n`
  const indented = [request, response].map(text => text.replace(/^/gm, '  '))
  return `\n${title}. ${why}\n\n${indented.join('\n\n')}\n\n`
}

function summary({ id, applicantInfo: info }: Prefill): string {
  const lines = [
    `application: ${id}`,
    `candidate: ${info.firstName} ${info.lastName} <${info.emailAddress}>`,
    `phone: ${info.phoneNumber ?? '-'}`,
    `location: ${info.currentLocation?.description ?? '-'}`,
    `skills: ${info.skills.join(', ') || '-'}`,
    `work history: ${info.workHistory.map(job => `${job.jobTitle} (${job.companyName})`).join(', ') || '-'}`,
  ]
  return lines.map(line => `  ${line}\n`).join('')
}

/** Bounded, because Node's timers hold 24 days and a longer one would fire immediately. */
function waitSeconds(text: string): number {
  const seconds = numericId(text)
  if (seconds > 86_400) throw new InvalidArgumentError('It must be 86400 (a day) or less.')
  return seconds
}

function loopbackUri(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || !isLoopbackHost(url.hostname)) {
    throw new InvalidArgumentError('It must be http on this machine, such as http://127.0.0.1:9090/callback.')
  }
  return text
}

/** Returns an origin without a trailing slash, as in the settings. */
function origin(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '') {
    throw new InvalidArgumentError('It must be an address such as https://jobs.example.com.')
  }
  return url.origin
}

interface CallbackListener {
  /** Resolves with the first accepted callback. */
  callback: Promise<FormFields>
  close(): void
}

/**
 * Listens on a redirect URI on this machine, for a client without its own server. Requests that `isOurs` rejects get an
 * error, and the listener continues to wait: any program on this machine can send requests here.
 */
async function listenForCallback(
  redirectUri: string,
  isOurs: (query: FormFields) => boolean,
): Promise<CallbackListener> {
  const { hostname, port, pathname } = new URL(redirectUri)
  const { promise, resolve } = Promise.withResolvers<FormFields>()
  const servers: Server[] = []

  function answer(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(`${text}\n`)
  }

  function close(): void {
    for (const server of servers) {
      server.close()
      server.closeIdleConnections()
    }
  }

  async function listenOn(host: string): Promise<void> {
    const server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0]
      if (request.method !== 'GET' || path !== pathname) return answer(response, 404, 'Not found.')
      const query = new FormFields(searchOf(request.url))
      if (query.repeated() !== undefined || !isOurs(query)) {
        return answer(
          response,
          400,
          'This is not the response to our authorization request, so it was ignored.',
        )
      }
      response.once('finish', () => resolve(query))
      answer(response, 200, 'Thank you. You can close this window and go back to the terminal.')
    })
    await once(server.listen(Number(port) || 80, host), 'listening')
    servers.push(server)
  }

  const isName = hostname === 'localhost'
  await listenOn(isName ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, ''))
  // Browsers may use either address for the name; not every machine has the second.
  if (isName) await listenOn('::1').catch(() => {})
  return { callback: promise, close }
}
