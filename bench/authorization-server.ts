import type { ServerProcess } from './service.ts'

/** One who can be asked for codes and tokens: the service, or what it is compared with. */
export interface AuthorizationServer {
  name: string
  process: ServerProcess
  /** The database server's process, when it has one. */
  databasePid: number | undefined
  authorizePath: string
  tokenPath: string
  client: RegisteredClient
  /** The Cookie header of each of those who are signed in and have consented already. */
  cookies: readonly string[]
  codes: CodeSupply
}

export interface RegisteredClient {
  id: string
  secret: string
}

/** The same for both sides. */
export const redirectUri = 'https://ats.example.com/careers/callback'
export const scope = 'r_profile_apply'
/** So many that those who come at once are hardly ever the same. */
export const candidateCount = 500

/** Fresh codes, made outside of what is timed. */
export interface CodeSupply {
  /** Makes up for those that were taken. */
  refill(): Promise<void>
  take(): string
}

/** More than anybody redeems in the longest turn, with a commit for each. */
const codesPerTurn = 20_000

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
