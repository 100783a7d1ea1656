// Brings an application in, and repeats it until there is an answer: it makes one, whatever the network does.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const { env } = process
const url = env['DOSSIER_URL'] ?? 'http://localhost:8080'
const auth = env['DOSSIER_AUTH_URL'] ?? url
const client = `${env['CLIENT_ID'] ?? 'demo-board'}:${env['CLIENT_SECRET'] ?? 'demo-board-secret'}`
// One key per application, made once and kept with it: the same whenever it is sent again.
const key = env['KEY'] ?? randomUUID()

const application = {
  advertiserId: 10000001,
  jobAdId: 32,
  jobSeekerId: 'user-4711',
  contact: { email: 'casey@example.com', firstName: 'Casey', lastName: 'Lim' },
}
const resume = new Blob(['Casey Lim. Ten years behind an espresso machine.\n'], { type: 'text/plain' })

async function getToken(): Promise<string> {
  const response = await fetch(`${auth}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'w_applications' }),
  })
  if (!response.ok) throw new Error(await response.text())
  const answer = (await response.json()) as { access_token: string }
  return answer.access_token
}

interface Answer {
  status: number
  retryAfter: string | null
  /** The receipt; or the problem, which has a code. */
  body: { id?: number; code?: string; detail?: string }
}

async function send(token: string): Promise<Answer> {
  // The JSON goes before the files.
  const form = new FormData()
  form.append('application', new Blob([JSON.stringify(application)], { type: 'application/json' }))
  form.append('resume', resume, 'resume.txt')
  const response = await fetch(`${url}/v1/intake/applications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    body: form,
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as Answer['body'],
  }
}

const token = await getToken()
for (let seconds = 1; ; seconds = Math.min(60, seconds * 2)) {
  // No answer at all is like a 503: it may be stored, or not. The key makes it safe to send it again.
  const answer: Answer = await send(token).catch(error => {
    return { status: 503, retryAfter: null, body: { detail: String(error) } }
  })
  if (answer.status === 201) {
    console.log(JSON.stringify(answer.body))
    break
  }
  const isPassing =
    answer.status === 429 || answer.status >= 500 || answer.body.code === 'idempotency-key-in-use'
  if (!isPassing) throw new Error(JSON.stringify(answer.body))
  await pause(1000 * Number(answer.retryAfter ?? seconds))
}
