import type { TotpCodes } from './ports.ts'

const period = 30
const kind = { algorithm: 'SHA1', digits: 6, period } as const

/** The libraries are loaded when they are first needed: most processes never need them. */
export const totpCodes: TotpCodes = {
  async newSecret() {
    const { Secret } = await import('otpauth')
    return new Secret({ size: 20 }).base32
  },

  async enrolment(secret, account, board) {
    const { TOTP } = await import('otpauth')
    const uri = new TOTP({ ...kind, secret, label: account, issuer: board }).toString()
    const { renderSVG } = await import('uqr')
    return { uri, picture: renderSVG(uri, { ecc: 'M', border: 2 }) }
  },

  async stepOf(secret, code, now) {
    const { TOTP } = await import('otpauth')
    const delta = new TOTP({ ...kind, secret }).validate({ token: code, timestamp: now, window: 1 })
    return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
  },
}
