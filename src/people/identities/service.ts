import { randomBytes } from 'node:crypto'
import { emptyProfile } from '../../model/profile.ts'
import { nameLength } from '../../model/text-lengths.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { Log } from '../../platform/core/log.ts'
import { withoutPassword } from '../../platform/core/password.ts'
import { Problem } from '../../platform/core/problems.ts'
import { hashSecret, tokenLength } from '../../platform/core/secrets.ts'
import type { Identity, ProviderProof, SessionOwner } from '../../platform/core/session-owner.ts'
import { lineBreakOrTab, textFault } from '../../platform/core/text.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { openSecret, sealSecret } from '../factors/secret-rules.ts'
import type { IdentityStore, Linked } from './identity-store.ts'
import { logoutTokenSeconds, ProviderAway, ProviderRefused, type RelyingParty } from './ports.ts'
import type { ProviderKey, ProviderPerson } from './records.ts'

/** Limit: Time for a sign-in at an OpenID provider, in seconds, and then to say which account it is for. */
const flowSeconds = 1_800
/** Limit: How long ago a person may have signed in at the provider to confirm that it is them: as long as a proof of ours counts. */
const freshSeconds = 900

/** The purpose of a visit to the provider: to sign in, link it to the account, or confirm the person. */
export type Doing = { what: 'sign-in' } | { what: 'link' | 'proof'; candidateId: string; sessionId: string }

export interface Flow {
  provider: ProviderKey
  doing: Doing
  continueTo: string
  /** A form held until after it, sealed for the browser. */
  held?: string | undefined
  /** Only the browser in which it began can continue. */
  mark: string
}

interface KeptFlow extends Flow {
  nonce: string
  verifier: string
}

/** A person without a linked account. */
export interface Newcomer extends Omit<Flow, 'doing'> {
  proof: ProviderProof
  person: ProviderPerson
}

export type Returned =
  /** The flow is unknown, too old, or another browser's. */
  | { outcome: 'expired' }
  /** The person pressed "Cancel" there, for example. */
  | { outcome: 'declined'; flow: Flow }
  | { outcome: 'refused'; flow: Flow }
  | { outcome: 'away'; flow: Flow }
  | { outcome: 'proved'; flow: Flow; proof: ProviderProof; owner: string | undefined; token: string }

export type Providers = ReturnType<typeof createProviders>

/**
 * Signs people in with OpenID providers. A person is known by the provider and its own name for them, never by an email
 * address: an address changes hands. Data that waits for the person's return is encrypted with a key that only the
 * person's browser brings back.
 */
export function createProviders(deps: {
  parties: Partial<Record<ProviderKey, RelyingParty>>
  /** Whether candidates can sign in only with the board's provider. */
  isOnly: boolean
  store: IdentityStore
  /** Returns an address to the account that had changed to it before a restore. */
  adoptAddress(email: string): Promise<unknown>
  clock: Clock
  log: Log
}) {
  const { parties, store, clock, log } = deps
  const settingsOf = (key: ProviderKey) => parties[key]?.settings
  const isOne =
    settingsOf('board')?.issuer === settingsOf('operators')?.issuer &&
    settingsOf('board')?.clientId === settingsOf('operators')?.clientId
  const offerOf = (key: ProviderKey) => {
    const settings = settingsOf(key)
    return settings === undefined ? [] : [{ key, name: settings.name, issuer: settings.issuer }]
  }

  function partyOf(key: ProviderKey): RelyingParty {
    const party = parties[key]
    if (party === undefined) throw new Error(`there is no provider ${key}`)
    return party
  }

  const keyOf = (token: string) => Buffer.from(sha256Hex(`content ${token}`), 'hex')
  const rowOf = (kind: string, token: string) => `provider-${kind}:${hashSecret(token)}`
  const isToken = (token: string) => token !== '' && token.length <= tokenLength

  const newToken = () => randomBytes(32).toString('base64url')

  async function keep(kind: 'flow' | 'newcomer', token: string, content: object): Promise<string> {
    const sealed = sealSecret([keyOf(token)], JSON.stringify(content), kind)
    await store.keep(rowOf(kind, token), sealed, clock() + flowSeconds * 1000)
    return token
  }
  const opened = (kind: string, token: string, sealed: string | undefined) => {
    const content = sealed && openSecret([keyOf(token)], sealed, kind)
    return content === undefined ? undefined : JSON.parse(content || 'null')
  }

  async function begin(flow: Flow, redirectUri: string): Promise<URL> {
    const [state, nonce, verifier] = [newToken(), newToken(), newToken()]
    const maxAgeSeconds = flow.doing.what === 'proof' ? freshSeconds : undefined
    // If the provider is unavailable, nothing is stored.
    const url = await partyOf(flow.provider).begin({ redirectUri, state, nonce, verifier, maxAgeSeconds })
    await keep('flow', state, { ...flow, nonce, verifier } satisfies KeptFlow)
    return url
  }

  return {
    isOn: Object.keys(parties).length > 0,
    isOnly: deps.isOnly,

    /** Providers for the sign-in page; the operators' provider only towards their pages. */
    offered: (continueTo: string) => [
      ...offerOf('board'),
      ...(isOne || !continueTo.startsWith('/operator') ? [] : offerOf('operators')),
    ],

    /** Providers that open this account. */
    async offeredTo(candidateId: string) {
      const isOperator = await store.isOperator(candidateId)
      if (!isOperator) return offerOf('board')
      return isOne ? offerOf('board') : offerOf('operators')
    },

    isKey: (text: string): text is ProviderKey => Object.hasOwn(parties, text),
    nameOf: (key: ProviderKey): string => settingsOf(key)?.name ?? '',
    /** The provider's name, or the host of a provider that is no longer configured. */
    nameOfIssuer: (issuer: string): string =>
      [...offerOf('board'), ...offerOf('operators')].find(each => each.issuer === issuer)?.name ??
      new URL(issuer).host,

    /** Whether the provider opens accounts of operators, or of everyone else. */
    async isFor(key: ProviderKey, candidateId: string): Promise<boolean> {
      const isOperator = await store.isOperator(candidateId)
      return key === 'operators' ? isOperator : !isOperator || isOne
    },

    /** Whether the board's provider is the only way to sign in, and this candidate's account is linked to it. */
    async isBound(candidateId: string): Promise<boolean> {
      const issuer = settingsOf('board')?.issuer
      return deps.isOnly && issuer !== undefined && store.isCandidateOf(issuer, candidateId)
    },

    /** Returns the provider's URL to which to send the browser. */
    begin,

    /**
     * Continues when the browser is back. `isOfBrowser` checks the mark of the flow; `redirectUri` is where the browser
     * returned.
     */
    async finish(
      key: ProviderKey,
      query: URLSearchParams,
      redirectUri: string,
      isOfBrowser: (mark: string) => boolean,
    ): Promise<Returned> {
      const state = query.get('state') ?? ''
      if (!isToken(state)) return { outcome: 'expired' }
      const flow: KeptFlow | undefined = opened(
        'flow',
        state,
        await store.take(rowOf('flow', state), clock()),
      )
      // Each provider returns to a separate address, so that none can pass off its answer as another's.
      if (flow === undefined || flow.provider !== key || !isOfBrowser(flow.mark))
        return { outcome: 'expired' }
      const { nonce, verifier, doing } = flow
      const maxAgeSeconds = doing.what === 'proof' ? freshSeconds : undefined
      try {
        const request = { redirectUri, state, nonce, verifier, maxAgeSeconds }
        const { proof, person } = await partyOf(key).finish(query, request)
        const owner = await store.find(proof)
        if (owner !== undefined || doing.what !== 'sign-in')
          return { outcome: 'proved', flow, proof, owner, token: '' }
        const { doing: _, nonce: __, verifier: ___, ...rest } = flow
        const newcomer: Newcomer = { ...rest, proof, person: await person() }
        return { outcome: 'proved', flow, proof, owner, token: await keep('newcomer', newToken(), newcomer) }
      } catch (error) {
        if (error instanceof ProviderAway) {
          log.warn({ provider: key, reason: error.message }, 'a provider is unavailable')
          return { outcome: 'away', flow }
        }
        if (!(error instanceof ProviderRefused)) throw error
        log.warn(
          { provider: key, reason: error.message, error: error.error?.slice(0, 100) },
          'a sign-in at a provider was refused',
        )
        return { outcome: error.error === 'access_denied' ? 'declined' : 'refused', flow }
      }
    },

    /** Finds a person who has not yet said which account is theirs; undefined if they signed in too long ago. */
    async findNewcomer(token: string, isOfBrowser: (mark: string) => boolean): Promise<Newcomer | undefined> {
      if (!isToken(token)) return undefined
      const found: Newcomer | undefined = opened(
        'newcomer',
        token,
        await store.read(rowOf('newcomer', token), clock()),
      )
      return found !== undefined && isOfBrowser(found.mark) ? found : undefined
    },

    forgetNewcomer: (token: string) => store.take(rowOf('newcomer', token), clock()),

    /** Adds an account without a password; undefined unless the provider has verified the address, `taken` if it has one. */
    async addAccount({ proof, person }: Newcomer): Promise<string | 'taken' | undefined> {
      const email = normaliseEmail(person.email)
      if (!person.isEmailVerified || !isEmail(email)) return undefined
      const known = await store.find(proof)
      if (known !== undefined) return known
      await deps.adoptAddress(email)
      const account = {
        candidateId: newUuid(),
        passwordHash: withoutPassword(),
        ...namesOf(person),
        profile: JSON.stringify(emptyProfile),
      }
      const added = await store.addAccount(email, account, proof, clock())
      // Another press of the button may have added the account.
      return added === 'taken' ? ((await store.find(proof)) ?? added) : added
    },

    namesOf,

    link: (candidateId: string, identity: Identity, mails: readonly NewDelivery[]): Promise<Linked> =>
      store.link(candidateId, identity, clock(), mails),

    /** Links an operator's identity, by a command. */
    linkOperator: (candidateId: string, key: ProviderKey, subject: string, mails: readonly NewDelivery[]) =>
      store.link(candidateId, { issuer: partyOf(key).settings.issuer, subject }, clock(), mails, true),

    unlink: (owner: SessionOwner, issuer: string, mails: readonly NewDelivery[]) =>
      store.unlink(owner, issuer, clock(), mails),

    list: store.list,

    /** Used by `dossier doctor`. */
    parties: () => Object.values(parties),

    /** Ends the sessions that a message of the provider names; false if it must not be believed. */
    async endSessions(key: ProviderKey, token: string): Promise<boolean> {
      const party = partyOf(key)
      const { issuer } = party.settings
      try {
        const { id, ...ended } = await party.readLogout(token)
        const until = clock() + 2 * logoutTokenSeconds * 1000
        const isFirst = await store.keep(rowOf('logout', `${issuer} ${id}`), '', until)
        if (!isFirst) throw new ProviderRefused('it was used before')
        const count = await store.endSessions(issuer, ended)
        log.info({ provider: key, count }, 'a provider has ended sessions')
        return true
      } catch (error) {
        // The provider sends the message again, or its people sign out here.
        if (error instanceof ProviderAway)
          throw new Problem('unavailable', 'The keys of the provider cannot be fetched.', { cause: error })
        if (!(error instanceof ProviderRefused)) throw error
        log.warn({ provider: key, reason: error.message }, 'a message about the end of a session was refused')
        return false
      }
    },
  }
}

/** Leaves out names that do not follow the rules for names here. */
function namesOf({ firstName, lastName }: ProviderPerson) {
  const rules = { maxLength: nameLength, isRequired: false, notOnOneLine: lineBreakOrTab }
  const fitting = (name: string) => (textFault(name, rules) === undefined ? name : '')
  return { firstName: fitting(firstName), lastName: fitting(lastName) }
}
