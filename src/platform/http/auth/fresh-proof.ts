import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { ProofResult, SessionOwner, SessionProof } from '../../core/session-owner.ts'
import { FormFields } from '../requests/form.ts'
import { callerOf, sessionOf, setCaller } from './callers.ts'
import { type HeldForm, heldFormOf } from './held-form.ts'

/**
 * Limit: Dangerous actions require a proof of identity from the last 15 minutes: long enough for a series of changes,
 * short enough that an unattended browser opens little.
 */
const proofSeconds = 900

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The proof required from the last minutes, or asked for now: for every request, or by the form's `action`. */
    proof?: ProofNeed | Readonly<Record<string, ProofNeed>>
  }
}

/**
 * `fresh`: the password, a code or a passkey, for forms and downloads. The others are for changing how the person signs
 * in. If the account has a second factor, `sign-in` takes the password and a factor; `removal` also accepts a recovery
 * code as the factor, because the device may be lost; `factor` takes only the factor, where the form itself asks for
 * the password. A passkey that verifies its user counts as both.
 */
export const proofNeeds = ['fresh', 'factor', 'sign-in', 'removal'] as const
export type ProofNeed = (typeof proofNeeds)[number]

/** Proof still required. */
export interface MissingProof {
  need: ProofNeed
  password: boolean
  factor: boolean
}

/** The form that awaits a proof, with its token: the page sends it again, to the same address, with the proof. */
export interface WaitingForm extends HeldForm {
  formToken: string
}

export type ProofRefusal = Exclude<ProofResult, { outcome: 'proved' }>

export interface FreshProofDeps {
  clock: Clock
  hasSecondFactor(owner: SessionOwner): Promise<boolean>
  /** Returns `proved` if nothing is missing any longer. */
  prove(
    request: FastifyRequest,
    owner: SessionOwner,
    sent: FormFields,
    missing: MissingProof,
  ): Promise<ProofResult>
  /** Shows the page that asks for a proof instead of the response. */
  ask(
    reply: FastifyReply,
    page: {
      owner: SessionOwner
      form: WaitingForm
      missing: MissingProof
      refusal: ProofRefusal | undefined
    },
  ): unknown
}

/** Fields that the page adds to the form for a proof. Handlers do not see them. */
const isOfProof = (name: string) => name.startsWith('proof_')

/** A recovery code signs in, but does not count as a recent proof of identity. */
export function isFresh({ provedAt, provedBy }: SessionProof, now: number): boolean {
  return provedBy !== 'recovery' && now - provedAt < proofSeconds * 1000
}

/** Undefined if nothing is missing. */
export async function missingProof(
  owner: SessionOwner,
  need: ProofNeed,
  { clock, hasSecondFactor }: Pick<FreshProofDeps, 'clock' | 'hasSecondFactor'>,
): Promise<MissingProof | undefined> {
  const now = clock()
  if (need === 'fresh' || !(await hasSecondFactor(owner))) {
    const isEnough = need === 'factor' || isFresh(owner, now)
    return isEnough ? undefined : { need: 'fresh', password: true, factor: false }
  }
  const isRecent = (at: number | null | undefined) => typeof at === 'number' && now - at < proofSeconds * 1000
  const password = need !== 'factor' && !isRecent(owner.passwordAt)
  const factor = !isRecent(owner.factorAt) || (owner.factorBy === 'recovery' && need !== 'removal')
  return password || factor ? { need, password, factor } : undefined
}

/** The page that asks for a proof and then continues. */
export const confirmPath = (continueTo: string, need: ProofNeed): string =>
  `/account/confirm?continue=${encodeURIComponent(continueTo)}${need === 'fresh' ? '' : `&for=${need}`}`

type ProofHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Puts the hook before the handler of a route with `proof`. */
export function askForProof(route: RouteOptions, hook: ProofHook | undefined): void {
  if (route.config?.proof === undefined) return
  if (hook === undefined) throw new Error(`${route.method} ${route.url} cannot ask for a fresh proof`)
  route.preHandler = [hook, ...[route.preHandler ?? []].flat()]
}

/**
 * Runs after authentication and before the handler of a route with `proof`. A form whose proof is too old is shown
 * again with a field for the proof, and processed with it; its handler checks its own token as always. A download, or a
 * form that must not be shown again or has a file, leads to the page that asks for the proof, and back.
 */
export function createFreshProof(deps: FreshProofDeps): ProofHook {
  const { prove, ask } = deps
  return async (request, reply) => {
    const owner = sessionOf(request)
    if (owner === undefined) throw new Error('a fresh proof is asked of signed-in people only')
    const sent = request.body instanceof FormFields ? request.body : undefined
    if (sent !== undefined) {
      request.body = FormFields.of(sent.pairs().filter(([name]) => !isOfProof(name)))
    }
    const { proof: declared, formPage = request.url.replace(/\?.*$/s, '') } = request.routeOptions.config
    const need =
      typeof declared === 'object'
        ? new Map(Object.entries(declared)).get(sent?.get('action') ?? '')
        : declared
    const missing = need && (await missingProof(owner, need, deps))
    if (missing === undefined) return undefined
    const proof = sent?.names().some(isOfProof) ? await prove(request, owner, sent, missing) : undefined
    if (proof?.outcome === 'proved') {
      const caller = callerOf(request)
      if (caller !== undefined) setCaller(request, { ...caller, provedAt: proof.at, provedBy: proof.by })
      return undefined
    }
    const form = heldFormOf(request)
    if (form !== undefined && sent !== undefined) {
      return ask(reply, {
        owner,
        form: { ...form, formToken: sent.get('form_token') ?? '' },
        missing,
        refusal: proof,
      })
    }
    const location = confirmPath(request.method === 'POST' ? formPage : request.url, missing.need)
    return reply.status(303).headers({ location, 'cache-control': 'no-store' }).send()
  }
}
