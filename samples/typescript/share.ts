// Reads the profile that a candidate shares, and tells that the form was sent.
import { writeFileSync } from 'node:fs'

const { env } = process
const url = env['DOSSIER_URL'] ?? 'http://localhost:8080'
const auth = env['DOSSIER_AUTH_URL'] ?? url
const clientId = env['CLIENT_ID'] ?? 'demo-ats'
const clientSecret = env['CLIENT_SECRET'] ?? 'demo-ats-secret'
const redirectUri = env['REDIRECT_URI'] ?? 'http://127.0.0.1:9090/callback'
const advertiserId = env['ADVERTISER_ID'] ?? '10000001'
const code = env['CODE']

if (code === undefined) {
  // A real page makes up a new state for each candidate, and compares what comes back.
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'r_profile_apply',
    state: 'demo',
    advertiser_id: advertiserId,
  })
  console.log(
    'Open this, allow it, and run the program again with the code that you are sent back with as CODE:',
  )
  console.log(`${auth}/api/iam/oauth2/authorize?${query}`)
} else await share(code)

async function share(code: string) {
  // A code buys one token: never repeat this call, send the candidate again instead.
  const token = await getToken({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })

  // This one may be repeated: it is the same prefilled application.
  const wanted = { advertiserId, applicationFormUrl: 'https://careers.example.com/apply/7' }
  const answer = await call(`${url}/v2/applications/prefilled`, token, wanted)
  const profile = (await answer.json()) as { resume: { link: string } | null; complete: string }
  console.log(JSON.stringify(profile, null, 2))

  if (profile.resume !== null) {
    const resume = await call(profile.resume.link, token)
    writeFileSync('resume', Buffer.from(await resume.arrayBuffer()))
  }

  // When the candidate has sent your form. The token is your own, so this also works days later.
  const own = await getToken({ grant_type: 'client_credentials' })
  await call(profile.complete, own, { completionDate: new Date().toISOString() })
  console.log('told that it was handed in')
}

async function getToken(fields: Record<string, string>): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString(
    'base64',
  )
  const response = await fetch(`${auth}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(fields),
  })
  if (!response.ok) throw new Error(await response.text())
  const answer = (await response.json()) as { access_token: string }
  return answer.access_token
}

async function call(address: string, token: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(
    address,
    body === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
  )
  if (!response.ok) throw new Error(await response.text())
  return response
}
