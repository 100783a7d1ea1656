import type { EpochMs } from '../../platform/core/clock.ts'

const period = 30
const kind = { algorithm: 'SHA1', digits: 6, period } as const

/** The libraries are loaded when they are first needed: most processes never need them. */
export const totpCodes = {
  async newSecret(): Promise<string> {
    const { Secret } = await import('otpauth')
    return new Secret({ size: 20 }).base32
  },

  /** Returns the app's otpauth address, and the same as an SVG picture. */
  async enrolment(secret: string, account: string, board: string): Promise<{ uri: string; picture: string }> {
    const { TOTP } = await import('otpauth')
    const uri = new TOTP({ ...kind, secret, label: account, issuer: board }).toString()
    const { renderSVG } = await import('uqr')
    return { uri, picture: renderSVG(uri, { ecc: 'M', border: 2 }) }
  },

  /** Returns the time step of the code: the current one, or one to either side; undefined if the code is wrong. */
  async stepOf(secret: string, code: string, now: EpochMs): Promise<number | undefined> {
    const { TOTP } = await import('otpauth')
    const delta = new TOTP({ ...kind, secret }).validate({ token: code, timestamp: now, window: 1 })
    return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
  },
}

export type TotpCodes = typeof totpCodes
