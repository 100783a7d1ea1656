import type { Clock, EpochMs } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import type { Candidate } from '../../model/candidate.ts'
import { filledCategories } from '../../model/profile.ts'
import { AuthorizationRefusal } from '../protocol/errors.ts'
import type { AuthorizationStore, NewCode, Standing, Visitor } from '../protocol/ports.ts'
import { initialTicks, isConsentRemembered } from './consent-service.ts'
import { redirectTo } from './redirect.ts'
import { type AuthorizationRequest, createRequestCheck } from './request-service.ts'

export interface AuthorizationLimits {
  clientIdLength: number
  codeSeconds: number
  consentDays: number
}

/** What the consent page shows and asks. */
export interface ConsentQuestion {
  candidate: Candidate
  /** Bits of the categories in which there is something to see. */
  filled: number
  /** Bits of the boxes that start ticked. */
  ticked: number
}

export type Authorization = ReturnType<typeof createAuthorization>

/** The authorization endpoint without HTTP: check the request, ask the candidate, send the answer back. */
export function createAuthorization(deps: {
  store: AuthorizationStore
  sessions: {
    /** Undefined for what can be no session. */
    sessionHash(value: string): string | undefined
    /** Whether it goes on. Puts on record that it was used. */
    useSession(hash: string, session: NonNullable<Standing['visitor']>['session']): boolean
  }
  clock: Clock
  limits: AuthorizationLimits
  isPreticked: boolean
}) {
  const { store, sessions, clock, limits } = deps
  const check = createRequestCheck(deps)

  function newCode(request: AuthorizationRequest): { value: string; code: NewCode } {
    const value = newSecret('code')
    const issuedAt = clock()
    const code = {
      hash: hashSecret(value),
      redirectUri: request.target.redirectUri,
      scope: request.scope,
      challenge: request.challenge,
      issuedAt,
      expiresAt: issuedAt + limits.codeSeconds * 1000,
    }
    return { value, code }
  }

  const keyOf = (candidateId: string, request: AuthorizationRequest) => ({
    candidateId,
    clientId: request.client.id,
    advertiserId: request.advertiser?.id ?? null,
  })

  /** Is the last proof of the password, which is the sign-in, as new as the client wants it? */
  function hasProved(
    provedAt: EpochMs,
    { prompts, maxAgeSeconds = Number.POSITIVE_INFINITY }: AuthorizationRequest,
    askedAt = Number.POSITIVE_INFINITY,
  ): boolean {
    return provedAt >= askedAt || (!prompts.has('login') && clock() - provedAt <= maxAgeSeconds * 1000)
  }

  const filledIn = ({ profile, resume }: Candidate) => filledCategories(profile, resume !== null)

  return {
    /** Throws an AuthorizationRefusal, which knows whether it may be redirected. */
    check: async (query: string): Promise<AuthorizationRequest> => (await check(query, null)).request,

    /**
     * The same, and who has come with it. Without a visitor somebody has to sign in, or to do it again because of
     * what the client wants, unless that was since `askedToSignInAt`; `signedInAs` is whose session it is.
     */
    async receive(
      query: string,
      session: string | undefined,
      askedToSignInAt: EpochMs | undefined,
    ): Promise<{ request: AuthorizationRequest; visitor: Visitor | undefined; signedInAs?: string }> {
      const hash = session === undefined ? undefined : sessions.sessionHash(session)
      const { request, visitor } = await check(query, hash ?? null)
      const isSignedIn =
        hash !== undefined && visitor !== undefined && sessions.useSession(hash, visitor.session)
      if (isSignedIn && hasProved(visitor.session.createdAt, request, askedToSignInAt)) {
        return { request, visitor }
      }
      if (request.prompts.has('none')) {
        throw new AuthorizationRefusal('login_required', 'The candidate has to sign in.', request.target)
      }
      return { request, visitor: undefined, ...(isSignedIn && { signedInAs: visitor.candidate.email }) }
    },

    /**
     * The way back to the client, while the consent is remembered. `onCode` is told before a code is made, and may
     * refuse it.
     */
    async recall(
      { candidate, grant }: Visitor,
      request: AuthorizationRequest,
      issuer: string,
      onCode: () => Promise<void>,
    ): Promise<string | undefined> {
      const { scope, prompts } = request
      const asked = { scope, filled: filledIn(candidate), promptsConsent: prompts.has('consent') }
      const now = clock()
      if (!isConsentRemembered(grant, { ...asked, now, consentDays: limits.consentDays })) return undefined
      await onCode()
      const { value, code } = newCode(request)
      // Withdrawn at this very moment: then it is asked for like a new one.
      const isIssued = await store.issueCode(grant.id, code)
      return isIssued ? redirectTo(request.target, { code: value }, issuer) : undefined
    },

    question({ candidate, grant }: Visitor, { prompts, target }: AuthorizationRequest): ConsentQuestion {
      if (prompts.has('none')) {
        throw new AuthorizationRefusal('consent_required', 'The candidate has to be asked.', target)
      }
      return { candidate, filled: filledIn(candidate), ticked: initialTicks(grant, deps.isPreticked) }
    },

    /** Records what the candidate released, out of what they saw, and returns the way back. */
    async allow(
      candidateId: string,
      request: AuthorizationRequest,
      choice: { released: number; filled: number },
      issuer: string,
    ): Promise<string> {
      const { value, code } = newCode(request)
      const decision = { grantId: newUuid(), scope: request.scope, ...choice, decidedAt: code.issuedAt }
      await store.recordConsent(keyOf(candidateId, request), decision, code)
      return redirectTo(request.target, { code: value }, issuer)
    },

    decline: ({ target }: AuthorizationRequest, issuer: string): string =>
      refusalLocation(
        new AuthorizationRefusal('access_denied', 'The candidate declined.', target),
        issuer,
      ) as string,

    refusalLocation,
  }
}

/** Where a refusal goes; undefined when only a page may tell it. */
function refusalLocation(refusal: AuthorizationRefusal, issuer: string): string | undefined {
  const { code, description, target } = refusal
  return target && redirectTo(target, { error: code, error_description: description }, issuer)
}
