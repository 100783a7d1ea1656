import type { Candidate, Resume } from '../../model/candidate.ts'
import { filledCategories } from '../../model/profile.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { AuthorizationStore } from '../grants/authorization-store.ts'
import { AuthorizationRefusal, type RedirectTarget } from '../protocol/errors.ts'
import type { AuthorizationContext, NewCode, Visitor } from '../protocol/records.ts'
import { initialTicks, isConsentRemembered } from './consent-service.ts'
import { type AuthorizationRequest, createRequestCheck, notAuthorised } from './request-service.ts'

/** The content of the consent page. */
export interface ConsentQuestion {
  candidateId: string
  candidate: Candidate
  /** Bits of the categories that have content. */
  filled: number
  /** Bits of the categories that are initially ticked. */
  ticked: number
  /** All of the candidate's resumes to choose from, and the preselected one. */
  resumes: readonly Resume[]
  chosenId: string | undefined
  /** When the permission will end. */
  endsAt: EpochMs
}

export type Authorization = ReturnType<typeof createAuthorization>

/** The authorization endpoint without HTTP: checks the request, asks the candidate, returns the redirect. */
export function createAuthorization(deps: {
  store: AuthorizationStore
  resumes: { listResumes(candidateId: string): Promise<Resume[]> }
  sessions: {
    /** Undefined if the value cannot be a session. */
    sessionHash(value: string): string | undefined
    /** Whether the session is still valid; records that it was used. */
    useSession(hash: string, session: NonNullable<AuthorizationContext['visitor']>['session']): boolean
  }
  clock: Clock
  limits: { codeSeconds: number; consentDays: number }
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

  /** Whether the last sign-in is as recent as the client requires. */
  function hasProved(
    provedAt: EpochMs,
    { prompts, maxAgeSeconds = Number.POSITIVE_INFINITY }: AuthorizationRequest,
    askedAt = Number.POSITIVE_INFINITY,
  ): boolean {
    return provedAt >= askedAt || (!prompts.has('login') && clock() - provedAt <= maxAgeSeconds * 1000)
  }

  /** A resume that was chosen and has since been deleted is not replaced by another. */
  const isStillThere = async (candidateId: string, resumeId: string | null) =>
    resumeId === null || (await deps.resumes.listResumes(candidateId)).some(({ id }) => id === resumeId)

  const filledIn = ({ profile, resume }: Candidate) => filledCategories(profile, resume !== null)

  return {
    /** Throws an AuthorizationRefusal. */
    check: async (query: string): Promise<AuthorizationRequest> => (await check(query, null)).request,

    /**
     * Checks the request and identifies the visitor. If `visitor` is undefined, the candidate has to sign in, or to
     * sign in again because the client requires a sign-in after `askedToSignInAt`. `signedInAs` is the email address of
     * the current session.
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
        throw new AuthorizationRefusal('login_required', 'The candidate must sign in.', request.target)
      }
      return { request, visitor: undefined, ...(isSignedIn && { signedInAs: visitor.candidate.email }) }
    },

    /** Returns the redirect to the client if the consent is remembered. `onCode` runs before a code is issued and may throw. */
    async recall(
      { candidate, grant }: Visitor,
      request: AuthorizationRequest,
      issuer: string,
      onCode: () => Promise<void>,
    ): Promise<string | undefined> {
      const { scope, prompts } = request
      const asked = {
        scope,
        filled: filledIn(candidate),
        resumeId: candidate.resume?.id ?? null,
        promptsConsent: prompts.has('consent'),
      }
      const now = clock()
      if (!isConsentRemembered(grant, { ...asked, now, consentDays: limits.consentDays })) return undefined
      await onCode()
      const { value, code } = newCode(request)
      // Returns false if the consent has just been withdrawn: ask the candidate again.
      const isIssued = await store.issueCode(grant.id, code)
      return isIssued ? redirectTo(request.target, { code: value }, issuer) : undefined
    },

    async question(
      { candidateId, candidate, grant }: Visitor,
      { prompts, target }: AuthorizationRequest,
    ): Promise<ConsentQuestion> {
      if (prompts.has('none')) {
        throw new AuthorizationRefusal('consent_required', 'The candidate must give consent.', target)
      }
      const resumes = candidate.resume === null ? [] : await deps.resumes.listResumes(candidateId)
      const chosen = resumes.find(({ id }) => id === grant?.resumeId) ?? resumes.find(each => each.isDefault)
      return {
        candidateId,
        candidate,
        filled: filledIn(candidate),
        ticked: initialTicks(grant, deps.isPreticked),
        resumes,
        chosenId: chosen?.id,
        endsAt: clock() + limits.consentDays * 86_400_000,
      }
    },

    /** Records which of the shown categories the candidate released, and returns the redirect. */
    async allow(
      candidateId: string,
      request: AuthorizationRequest,
      choice: { released: number; filled: number; resumeId?: string | null },
      issuer: string,
    ): Promise<string> {
      const { value, code } = newCode(request)
      const decision = { grantId: newUuid(), scope: request.scope, ...choice, decidedAt: code.issuedAt }
      const isRecorded = await store.recordConsent(keyOf(candidateId, request), decision, code)
      // The authorisation has just been withdrawn.
      if (!isRecorded) throw notAuthorised(request.target)
      return redirectTo(request.target, { code: value }, issuer)
    },

    isStillThere,

    decline: ({ target }: AuthorizationRequest, issuer: string): string =>
      refusalLocation(
        new AuthorizationRefusal('access_denied', 'The candidate declined.', target),
        issuer,
      ) as string,

    refusalLocation,
  }
}

/** Returns the URL to redirect a refusal to; undefined if it may only be shown on a page. */
function refusalLocation(refusal: AuthorizationRefusal, issuer: string): string | undefined {
  const { code, description, target } = refusal
  return target && redirectTo(target, { error: code, error_description: description }, issuer)
}

/**
 * Builds the redirect back to the client. The registered URI stays byte for byte, including its query; our parameters
 * follow. `iss` names the issuer (RFC 9207).
 */
export function redirectTo(
  { redirectUri, state }: Omit<RedirectTarget, 'clientId'>,
  answer: Record<string, string>,
  issuer: string,
): string {
  const own = Object.entries({ ...answer, iss: issuer }).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  )
  if (state !== undefined) own.push(`state=${state}`)
  return `${redirectUri}${separator(redirectUri)}${own.join('&')}`
}

function separator(uri: string): string {
  if (!uri.includes('?')) return '?'
  return /[?&]$/.test(uri) ? '' : '&'
}
