import type { PasskeyKey, SentCredential } from './records.ts'

type Library = typeof import('@simplewebauthn/server')
type Expected = { challenge: string; origin: string; rpId: string }

/** The kinds of keys that are asked for: Ed25519, P-256 and RSA. Named, because the library would probe for others. */
const supportedAlgorithmIDs = [-8, -7, -257]

const expectedBy = ({ challenge, origin, rpId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
  // The caller checks `isUserVerified`.
  requireUserVerification: false,
})

/** The library throws if any check fails. */
async function attempt<T>(verify: (library: Library) => Promise<T>): Promise<T | undefined> {
  // Loaded when it is first needed: it takes a quarter of a second and 24 MiB.
  const library = await import('@simplewebauthn/server')
  return verify(library).catch(() => undefined)
}

/** Verifies signatures of passkeys, as in WebAuthn. Returns undefined if any check fails. */
export const webAuthn = {
  async verifyNew(
    sent: SentCredential,
    expected: { challenge: string; origin: string; rpId: string },
  ): Promise<(PasskeyKey & { id: string; transports: string[] }) | undefined> {
    const response = sent as Parameters<Library['verifyRegistrationResponse']>[0]['response']
    const checked = await attempt(library =>
      library.verifyRegistrationResponse({ response, supportedAlgorithmIDs, ...expectedBy(expected) }),
    )
    if (checked?.verified !== true) return undefined
    const { id, publicKey, counter } = checked.registrationInfo.credential
    const named: unknown = response.response.transports
    const transports = (Array.isArray(named) ? named : []).filter(each => /^[a-z-]{1,20}$/.test(String(each)))
    return {
      id,
      counter,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      transports: transports.slice(0, 8).map(String),
    }
  },

  /** `userHandle` is the account that the passkey names, if it names one. */
  async verify(
    sent: SentCredential,
    { publicKey, ...expected }: { challenge: string; origin: string; rpId: string; publicKey: string },
  ): Promise<{ counter: number; isUserVerified: boolean; userHandle: string | undefined } | undefined> {
    const response = sent as Parameters<Library['verifyAuthenticationResponse']>[0]['response']
    // The caller compares the counter, to distinguish a copied key from a wrong signature.
    const credential = { id: sent.id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 }
    const checked = await attempt(library =>
      library.verifyAuthenticationResponse({ response, credential, ...expectedBy(expected) }),
    )
    if (checked?.verified !== true) return undefined
    const { newCounter: counter, userVerified: isUserVerified } = checked.authenticationInfo
    return { counter, isUserVerified, userHandle: response.response.userHandle || undefined }
  },
}

export type WebAuthn = typeof webAuthn
