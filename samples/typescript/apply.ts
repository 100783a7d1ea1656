// Sends an application and retries until there is a response: it is stored once, whatever the network does.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const { env } = process
const url = env['DOSSIER_URL'] ?? 'http://localhost:8080'
const auth = env['DOSSIER_AUTH_URL'] ?? url
const client = `${env['CLIENT_ID'] ?? 'demo-board'}:${env['CLIENT_SECRET'] ?? 'demo-board-secret'}`
// One key per application, created once and stored with it, so that every retry sends the same key.
const key = env['KEY'] ?? randomUUID()

const application = {
  advertiserId: 10000001,
  jobAdId: 32,
  jobSeekerId: 'user-4711',
  contact: { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' },
}
const resume = new Blob(['Casey Lim. Ten years behind an espresso machine.\n'], { type: 'text/plain' })

interface Answer {
  status: number
  retryAfter: string | null
  body: string
}

async function attempt(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { method: 'POST', ...init })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.text(),
  }
}

async function send(address: string, init: RequestInit) {
  for (let seconds = 1; ; seconds = Math.min(60, seconds * 2)) {
    // Without a response it may or may not be stored. The key makes it safe to send it again.
    const answer = await attempt(address, init).catch(error => {
      return { status: 503, retryAfter: null, body: String(error) }
    })
    if (answer.status < 300) return JSON.parse(answer.body)
    const isPassing =
      answer.status === 429 || answer.status >= 500 || answer.body.includes('"idempotency-key-in-use"')
    if (!isPassing) throw new Error(answer.body)
    await pause(1000 * Number(answer.retryAfter ?? seconds))
  }
}

const { access_token } = await send(`${auth}/api/iam/oauth2/token`, {
  headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'w_applications' }),
})

// The JSON must come before the files.
const form = new FormData()
form.append('application', new Blob([JSON.stringify(application)], { type: 'application/json' }))
form.append('resume', resume, 'resume.txt')
const receipt = await send(`${url}/v1/intake/applications`, {
  headers: { authorization: `Bearer ${access_token}`, 'idempotency-key': key },
  body: form,
})
console.log(JSON.stringify(receipt))
