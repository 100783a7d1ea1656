import { randomBytes } from 'node:crypto'
import {
  type AuthorizationServer,
  candidateCount,
  createCodeSupply,
  type RegisteredClient,
  redirectUri,
  scope,
} from './authorization-server.ts'
import { openRowWriter, type Place, type RowWriter } from './row-writer.ts'
import type { ServerProcess } from './service.ts'

const daySeconds = 86_400
const word = () => randomBytes(32).toString('base64url')

interface Person {
  accountId: string
  grantId: string
  session: string
  uid: string
}

/** The same people as the service has, in the records of oidc-provider. */
export async function openOidcWorld(
  place: Place,
  client: RegisteredClient,
  server: { name: string; process: ServerProcess; databasePid: number | undefined },
): Promise<{ server: AuthorizationServer; close(): Promise<void> }> {
  const writer = await openRowWriter(place)
  const people = Array.from({ length: candidateCount }, newPerson)
  await addPeople(writer, client.id, people)
  return {
    server: {
      ...server,
      authorizePath: '/auth',
      tokenPath: '/token',
      client,
      cookies: people.map(({ session }) => `_session=${session}`),
      codes: createCodeSupply(async count => {
        const codes = Array.from({ length: count }, word)
        await writer.insert(
          'oidc_payloads',
          codes.map((code, index) => codeRecord(code, people[index % people.length] as Person, client.id)),
        )
        await writer.settle()
        return codes
      }),
      codeLength: word().length,
    },
    close: () => writer.close(),
  }
}

function newPerson(): Person {
  return { accountId: word(), grantId: word(), session: word(), uid: word() }
}

async function addPeople(writer: RowWriter, clientId: string, people: readonly Person[]): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  await writer.insert(
    'oidc_payloads',
    people.map(({ accountId, grantId }) =>
      record('Grant', grantId, { accountId, clientId, openid: { scope } }),
    ),
  )
  await writer.insert(
    'oidc_payloads',
    people.map(({ accountId, grantId, session, uid }) =>
      record('Session', session, {
        uid,
        accountId,
        loginTs: now,
        authorizations: { [clientId]: { sid: word(), grantId, persistsLogout: true } },
      }),
    ),
  )
  await writer.settle()
}

function codeRecord(code: string, { accountId, grantId, uid }: Person, clientId: string) {
  const authTime = Math.floor(Date.now() / 1000)
  const payload = { accountId, authTime, clientId, grantId, redirectUri, scope, sessionUid: uid }
  return record('AuthorizationCode', code, payload)
}

/** As its models serialise themselves. */
function record(kind: string, jti: string, own: { grantId?: string; uid?: string; [key: string]: unknown }) {
  const iat = Math.floor(Date.now() / 1000)
  const exp = iat + daySeconds
  return {
    type: kind,
    id: jti,
    payload: JSON.stringify({ iat, exp, ...own, kind, jti }),
    grant_id: own.grantId ?? null,
    uid: own.uid ?? null,
    expires_at: exp,
  }
}
