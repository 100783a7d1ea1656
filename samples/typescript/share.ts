// Asks a candidate to share their profile, reads it, and reports that the form was submitted.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { env } = process
const url = env['DOSSIER_URL'] ?? 'http://localhost:8080'
const auth = env['DOSSIER_AUTH_URL'] ?? url
const clientId = env['CLIENT_ID'] ?? 'demo-ats'
const clientSecret = env['CLIENT_SECRET'] ?? 'demo-ats-secret'
const redirectUri = env['REDIRECT_URI'] ?? 'http://127.0.0.1:9090/callback'
const advertiserId = env['ADVERTISER_ID'] ?? '10000001'

/** Waits for the candidate to come back. Any program on this machine can call this address, so only our state counts. */
function comeBack(state: string): Promise<URLSearchParams> {
  const { hostname, port, pathname } = new URL(redirectUri)
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const asked = URL.parse(request.url ?? '', redirectUri)
      const isOurs = asked?.pathname === pathname && asked.searchParams.get('state') === state
      response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain', connection: 'close' })
      response.end(
        isOurs ? 'Thank you. You can close this window.\n' : 'Not the answer we are waiting for.\n',
      )
      if (!isOurs) return
      server.close()
      resolve(asked.searchParams)
    })
    server.once('error', reject)
    server.listen(Number(port), hostname)
  })
}

/** Waits as long as Retry-After says. A request without a response is not retried: see the exchange of the code. */
async function send(address: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(address, init)
    const seconds = response.headers.get('retry-after')
    if (response.ok) return response
    if (seconds === null || ![429, 503].includes(response.status)) throw new Error(await response.text())
    await pause(1000 * Number(seconds))
  }
}

async function getToken(fields: Record<string, string>): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)
  const response = await send(`${auth}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic.toString('base64')}` },
    body: new URLSearchParams(fields),
  })
  const answer = (await response.json()) as { access_token: string }
  return answer.access_token
}

function call(address: string, token: string, body?: unknown): Promise<Response> {
  const authorization = `Bearer ${token}`
  if (body === undefined) return send(address, { headers: { authorization } })
  const headers = { authorization, 'content-type': 'application/json' }
  return send(address, { method: 'POST', headers, body: JSON.stringify(body) })
}

// A new state for each candidate ties the redirect to this request.
const state = randomUUID()
const query = new URLSearchParams({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'r_profile_apply',
  state,
  advertiser_id: advertiserId,
})
const answered = comeBack(state)
console.log('Open this address in a browser, sign in and decide:')
console.log(`${auth}/api/iam/oauth2/authorize?${query}`)
const answer = await answered
const code = answer.get('code')
// The issuer shows that the redirect comes from the server we asked.
if (code === null || answer.get('iss') !== auth) throw new Error(`nothing was shared: ${answer}`)

// A code buys one token: if you get no response, send the candidate again instead of repeating this call.
const token = await getToken({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })

// This call can be repeated: it returns the same prefilled application.
const wanted = { advertiserId, applicationFormUrl: 'https://careers.example.com/apply/7' }
const prefilled = await call(`${url}/v2/applications/prefilled`, token, wanted)
const profile = (await prefilled.json()) as { resume: { link: string } | null; complete: string }
console.log(JSON.stringify(profile, null, 2))

if (profile.resume !== null) {
  const resume = await call(profile.resume.link, token)
  writeFileSync('resume', Buffer.from(await resume.arrayBuffer()))
}

// Report completion when the candidate has submitted your form. The token is your own, without scope, so this works days later too.
const own = await getToken({ grant_type: 'client_credentials' })
await call(profile.complete, own, { completionDate: new Date().toISOString() })
console.log('reported as submitted')
