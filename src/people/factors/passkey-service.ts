import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/core/clock.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import type { FactorStore } from './factor-store.ts'
import type {
  Passkey,
  PasskeyKey,
  PasskeyRefusal,
  SentCredential,
  SignedChallenge,
  Spend,
} from './records.ts'
import { openSecret, type SecretKeys, sealSecret } from './secret-rules.ts'
import type { WebAuthn } from './webauthn-adapter.ts'

/**
 * Limit: After the password, a person has ten minutes to find the phone and enter a code; a page has as long to use a
 * passkey.
 */
export const secondStepSeconds = 600

/** The purpose of a passkey request. A sign-in names no account: the passkey does. */
export type PasskeyPurpose = 'sign-in' | 'second-step' | 'proof' | 'new'

/** A passkey request for a page's button: its script hands the options to the browser, and the form carries the ticket. */
export interface PasskeyRequest {
  /** JSON of WebAuthn. */
  options: string
  /** The challenge with its purpose, account and end, encrypted. Nothing is stored before it is used. */
  ticket: string
}

/** A passkey as a form sends it. */
export interface SentPasskey {
  ticket: string
  /** JSON of WebAuthn. */
  credential: string
}

/** A passkey that has signed the challenge; it opens one thing, once. */
export interface CheckedPasskey {
  candidateId: string
  spend: Spend
}

export interface NewPasskey {
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'> & PasskeyKey
  challenge: SignedChallenge
}

export type Passkeys = ReturnType<typeof createPasskeys>

export function createPasskeys(deps: {
  store: Pick<FactorStore, 'findPasskey'>
  webAuthn: WebAuthn
  /** Undefined if no key has been made or set: then no account has a passkey. */
  keys(): SecretKeys | undefined
  authUrl(): string
  board: string
  clock: Clock
}) {
  const { store, webAuthn, keys, clock } = deps

  const site = () => {
    const { origin, hostname: rpId } = new URL(deps.authUrl())
    return { origin, rpId }
  }
  /** Browsers require a host name: they make no passkeys for addresses such as 192.0.2.1. */
  const isNamed = () => !/^\[|^[\d.]+$/.test(site().rpId)

  function seal(
    purpose: PasskeyPurpose,
    candidateId: string,
  ): { challenge: string; ticket: string } | undefined {
    const found = isNamed() ? keys() : undefined
    if (found === undefined) return undefined
    const challenge = randomBytes(32).toString('base64url')
    const content = JSON.stringify([challenge, candidateId, clock() + secondStepSeconds * 1000])
    return { challenge, ticket: sealSecret(found, content, `passkey ${purpose}`) }
  }

  /** Undefined unless we sealed it for this purpose and account, a short time ago. */
  function open(purpose: PasskeyPurpose, ticket: string, candidateId: string) {
    const found = keys()
    const content = found && openSecret(found, ticket, `passkey ${purpose}`)
    if (content === undefined) return undefined
    const [challenge, owner, expiresAt] = JSON.parse(content) as [string, string, number]
    if (expiresAt <= clock() || owner !== candidateId) return undefined
    const signed: SignedChallenge = { hash: hashSecret(challenge), expiresAt }
    return { challenge, signed }
  }

  const described = (passkeys: readonly Passkey[]) =>
    passkeys
      .filter(({ rpId }) => rpId === site().rpId)
      .map(({ id, transports }) => ({ type: 'public-key', id, transports }))
  const timeout = secondStepSeconds * 1000
  const userIdOf = (candidateId: string) => Buffer.from(candidateId).toString('base64url')

  return {
    isPossible: isNamed,

    /** Whether browsers still offer it here: a passkey is bound to the host that it was made for. */
    isHere: ({ rpId }: Passkey): boolean => rpId === site().rpId,

    /** Undefined if the service has no name or no key, or the account has no passkey that fits. */
    request(
      purpose: 'sign-in' | 'second-step' | 'proof',
      owner?: { candidateId: string; passkeys: readonly Passkey[] },
    ): PasskeyRequest | undefined {
      const allowCredentials = described(owner?.passkeys ?? [])
      if (owner !== undefined && allowCredentials.length === 0) return undefined
      const sealed = seal(purpose, owner?.candidateId ?? '')
      if (sealed === undefined) return undefined
      const { challenge, ticket } = sealed
      // After the password, possession of the device is enough.
      const userVerification = purpose === 'second-step' ? 'discouraged' : 'required'
      const { rpId } = site()
      return {
        ticket,
        options: JSON.stringify({ challenge, rpId, allowCredentials, userVerification, timeout }),
      }
    },

    async check(
      purpose: 'sign-in' | 'second-step' | 'proof',
      sent: SentPasskey,
      candidateId = '',
    ): Promise<CheckedPasskey | PasskeyRefusal> {
      const opened = open(purpose, sent.ticket, candidateId)
      if (opened === undefined) return 'expired'
      const credential = credentialOf(sent.credential)
      const passkey = credential && (await store.findPasskey(credential.id))
      if (credential === undefined || passkey === undefined) return 'wrong'
      const owner = passkey.candidateId
      if (candidateId !== '' && owner !== candidateId) return 'wrong'
      const { publicKey } = passkey
      const signed = await webAuthn.verify(credential, { ...site(), challenge: opened.challenge, publicKey })
      if (signed === undefined) return 'wrong'
      const { counter, isUserVerified, userHandle } = signed
      if (userHandle !== undefined && userHandle !== userIdOf(owner)) return 'wrong'
      if (!isUserVerified && purpose !== 'second-step') return 'unverified'
      if (counter < passkey.counter || (counter === passkey.counter && counter > 0)) return 'copied'
      const spend: Spend = { kind: 'passkey', id: passkey.id, counter, challenge: opened.signed }
      return { candidateId: owner, spend }
    },

    /** Options for making a passkey; undefined if the service has no name or no key. */
    creation(
      { candidateId, email }: { candidateId: string; email: string },
      passkeys: readonly Passkey[],
    ): PasskeyRequest | undefined {
      const sealed = seal('new', candidateId)
      if (sealed === undefined) return undefined
      const { challenge, ticket } = sealed
      const options = {
        challenge,
        rp: { id: site().rpId, name: deps.board },
        user: { id: userIdOf(candidateId), name: email, displayName: email },
        pubKeyCredParams: [-8, -7, -257].map(alg => ({ type: 'public-key', alg })),
        excludeCredentials: described(passkeys),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        attestation: 'none',
        timeout,
      }
      return { ticket, options: JSON.stringify(options) }
    },

    /** Verifies a new passkey and returns it to be stored. */
    async checkNew(
      candidateId: string,
      sent: SentPasskey & { name: string },
    ): Promise<NewPasskey | 'expired' | 'wrong'> {
      const opened = open('new', sent.ticket, candidateId)
      if (opened === undefined) return 'expired'
      const credential = credentialOf(sent.credential)
      const made =
        credential && (await webAuthn.verifyNew(credential, { ...site(), challenge: opened.challenge }))
      if (made === undefined) return 'wrong'
      return { passkey: { ...made, name: sent.name, rpId: site().rpId }, challenge: opened.signed }
    },
  }
}

/** Credential IDs have at most 1,023 bytes. */
const longestId = 1364

function credentialOf(text: string): SentCredential | undefined {
  try {
    const { id, response } = JSON.parse(text) ?? {}
    const isOne = typeof id === 'string' && /^[\w-]+$/.test(id) && id.length <= longestId
    if (!isOne || typeof response !== 'object' || response === null) return undefined
    return JSON.parse(text)
  } catch {
    // The value is not JSON, so no browser sent it.
    return undefined
  }
}
