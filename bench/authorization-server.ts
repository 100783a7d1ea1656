import type { ServerProcess } from './service.ts'

/** Issues codes and tokens: the service, or the server it is compared with. */
export interface AuthorizationServer {
  name: string
  process: ServerProcess
  /** The database server's process, if it has one. */
  databasePid: number | undefined
  authorizePath: string
  tokenPath: string
  client: RegisteredClient
  /** The Cookie header of each candidate who is signed in and has consented. */
  cookies: readonly string[]
  codes: CodeSupply
  codeLength: number
}

export interface RegisteredClient {
  id: string
  secret: string
}

/** The same for both sides. */
export const redirectUri = 'https://ats.example.com/careers/callback'
export const scope = 'r_profile_apply'
/** Enough that simultaneous requests are hardly ever from the same candidate. */
export const candidateCount = 500

/** Fresh codes, created outside the timed part. */
export interface CodeSupply {
  /** Replaces the codes that were used. */
  refill(): Promise<void>
  take(): string
}

/** More than a server can redeem in the longest turn, with a commit for each. */
const codesPerTurn = 40_000

export function createCodeSupply(make: (count: number) => Promise<string[]>): CodeSupply {
  let codes: string[] = []
  return {
    async refill() {
      codes = codes.concat(await make(codesPerTurn - codes.length))
    },
    take() {
      const code = codes.pop()
      if (code === undefined) throw new Error(`more than ${codesPerTurn} codes were redeemed in one turn`)
      return code
    },
  }
}
