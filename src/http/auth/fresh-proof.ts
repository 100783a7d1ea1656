import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import type { ProofResult, SessionOwner, SessionProof } from '../../model/candidate.ts'
import { FormFields } from '../requests/form.ts'
import { callerOf, sessionOf, setCaller } from './callers.ts'
import { type HeldForm, type HeldFormLimits, heldFormOf } from './held-form.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `fresh`: the person has proved who they are in the last minutes, or is asked to. For forms and downloads. */
    proof?: 'fresh'
  }
}

/** The form that waits for a proof, with its token: the page sends it again, to the same address, with the proof. */
export interface WaitingForm extends HeldForm {
  formToken: string
}

export type ProofRefusal = Exclude<ProofResult, { outcome: 'proved' }>

export interface FreshProofDeps {
  clock: Clock
  limits: Pick<Limits, 'proofSeconds'> & HeldFormLimits
  prove(request: FastifyRequest, owner: SessionOwner, sent: FormFields): Promise<ProofResult>
  /** Shows the page that asks for a proof instead of the response. */
  ask(
    reply: FastifyReply,
    page: { owner: SessionOwner; form: WaitingForm; refusal: ProofRefusal | undefined },
  ): unknown
}

/** Fields with which the page adds a proof to the form. No handler sees them. */
const isOfProof = (name: string) => name.startsWith('proof_')

/** A recovery code opens a session and confirms nothing: the next proof has to be one that can be repeated. */
export function isFresh(
  { provedAt, provedBy }: SessionProof,
  now: number,
  { proofSeconds }: Pick<Limits, 'proofSeconds'>,
): boolean {
  return provedBy !== 'recovery' && now - provedAt < proofSeconds * 1000
}

type ProofHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Puts the hook before the handler of a route with `proof: 'fresh'`. */
export function askForProof(route: RouteOptions, hook: ProofHook | undefined): void {
  if (route.config?.proof !== 'fresh') return
  if (hook === undefined) throw new Error(`${route.method} ${route.url} cannot ask for a fresh proof`)
  route.preHandler = [hook, ...[route.preHandler ?? []].flat()]
}

/**
 * Runs after authentication and before the handler of a route with `proof: 'fresh'`. A form that meets an old proof is
 * shown again with a field for the proof, and carried out with it; its own token is checked by its handler as always. A
 * download, or a form that must not be shown again or has a file, leads to the page that asks, and back.
 */
export function createFreshProof({ clock, limits, prove, ask }: FreshProofDeps): ProofHook {
  return async (request, reply) => {
    const owner = sessionOf(request)
    if (owner === undefined) throw new Error('a fresh proof is asked of signed-in people only')
    const sent = request.body instanceof FormFields ? request.body : undefined
    if (sent !== undefined) {
      request.body = FormFields.of(sent.pairs().filter(([name]) => !isOfProof(name)))
    }
    if (isFresh(owner, clock(), limits)) return undefined
    const proof = sent?.names().some(isOfProof) ? await prove(request, owner, sent) : undefined
    if (proof?.outcome === 'proved') {
      const caller = callerOf(request)
      if (caller !== undefined) setCaller(request, { ...caller, provedAt: proof.at, provedBy: proof.by })
      return undefined
    }
    const form = heldFormOf(request, limits)
    if (form !== undefined && sent !== undefined) {
      return ask(reply, {
        owner,
        form: { ...form, formToken: sent.get('form_token') ?? '' },
        refusal: proof,
      })
    }
    const { formPage = request.url.replace(/\?.*$/s, '') } = request.routeOptions.config
    const page = request.method === 'POST' ? formPage : request.url
    return reply
      .status(303)
      .headers({
        location: `/account/confirm?continue=${encodeURIComponent(page)}`,
        'cache-control': 'no-store',
      })
      .send()
  }
}
