import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { createFreshProof, type FreshProofDeps, type ProofRefusal } from '../../http/auth/fresh-proof.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { SessionOwner } from '../../model/candidate.ts'
import { heldFormTexts } from '../../web/held-form-texts.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import type { Passkeys } from '../factors/passkey-service.ts'
import type { Factors } from '../factors/service.ts'
import { accountField, fault } from './form-markup.ts'
import { passkeyButton, passkeyScripts, sentPasskey } from './passkey-markup.ts'
import { passkeyTexts } from './passkey-texts.ts'
import { proofTexts as texts } from './proof-texts.ts'
import { continueTarget } from './rules.ts'
import type { Accounts } from './service.ts'
import { callerOf, waitText } from './sign-in-pages.ts'

export interface ProofPageDeps {
  accounts: Pick<Accounts, 'prove' | 'proveByCode' | 'proveByPasskey'>
  factors: Pick<Factors, 'find'>
  passkeys: Pick<Passkeys, 'request' | 'check'>
  sessions: Sessions
}

const path = '/account/confirm'

/** What the proof is for: a form that waits, or a page to go to. */
interface Waiting {
  action: string
  formToken: string
  fields: readonly (readonly [name: string, value: string])[]
  /** The names of its password fields, whose values are never repeated. */
  secrets: readonly string[]
  isForm: boolean
}

async function send(
  { factors, passkeys }: ProofPageDeps,
  reply: FastifyReply,
  { owner, waiting, refusal }: { owner: SessionOwner; waiting: Waiting; refusal: ProofRefusal | undefined },
  status: number,
): Promise<FastifyReply> {
  const found = await factors.find(owner.candidateId)
  const hasCodes = found.totp !== undefined
  const request = passkeys.request('proof', { ...found, candidateId: owner.candidateId })
  const wrong = request !== undefined ? texts.wrongOfAll : hasCodes ? texts.wrongOfTwo : texts.wrong
  if (refusal?.outcome === 'wait') reply.header('retry-after', String(refusal.seconds))
  return sendPage(reply, {
    isFocused: true,
    status: refusal === undefined ? status : refusal.outcome === 'wait' ? 429 : 401,
    title: texts.title,
    scripts: passkeyScripts,
    body: html`${refusal && fault(refusal.outcome === 'wait' ? waitText(refusal.seconds) : wrong)}
<form class="card" method="post" action="${waiting.action}" novalidate>
<p>${texts.lead(owner.email)}</p>
${waiting.isForm && html`<p class="hint">${texts.afterwards}</p>`}
<input type="hidden" name="form_token" value="${waiting.formToken}">
${waiting.fields.map(hiddenField)}
<input type="text" name="proof_username" autocomplete="username" value="${owner.email}" hidden>
${waiting.secrets.map(name => accountField({ name, label: heldFormTexts.nameOf(name), type: 'password', autocomplete: 'off' }))}
${accountField({ name: 'proof_password', label: texts.password, type: 'password', autocomplete: 'current-password' })}
${hasCodes && accountField({ name: 'proof_code', label: texts.code, type: 'text', autocomplete: 'one-time-code', hint: texts.either })}
<div class="actions"><button type="submit">${texts.submit}</button> <a class="button second" href="/account">${texts.leave}</a></div>
${passkeyButton(request, { label: passkeyTexts.confirm, prefix: 'proof_' })}
</form>`,
  })
}

const hiddenField = ([name, value]: readonly [string, string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** Checks the proof in the fields of a form. */
const createProve =
  ({ accounts, sessions, passkeys }: ProofPageDeps): FreshProofDeps['prove'] =>
  async (request: FastifyRequest, owner: SessionOwner, sent: FormFields) => {
    const signed = sentPasskey(sent, 'proof_')
    if (signed !== undefined) {
      const passkey = await passkeys.check('proof', signed, owner.candidateId)
      return typeof passkey === 'string' ? { outcome: 'wrong' } : accounts.proveByPasskey(owner, passkey)
    }
    const [password = '', code = ''] = [sent.get('proof_password'), sent.get('proof_code')]
    const caller = callerOf(request, sessions)
    return password === '' && code !== ''
      ? accounts.proveByCode(owner, { code, ...caller })
      : accounts.prove(owner, { password, ...caller })
  }

/** For routes with `proof: 'fresh'`. */
export function freshProof(
  deps: ProofPageDeps & Pick<FreshProofDeps, 'clock' | 'limits'>,
): ReturnType<typeof createFreshProof> {
  return createFreshProof({
    clock: deps.clock,
    limits: deps.limits,
    prove: createProve(deps),
    ask: (reply, { owner, form, refusal }) =>
      send(deps, reply, { owner, waiting: { ...form, isForm: true }, refusal }, 401),
  })
}

/** The page that asks for a proof before a download, and before a form whose content could not be kept. */
export function proofRoutes(deps: ProofPageDeps): RouteOptions[] {
  const prove = createProve(deps)
  const waitingFor = (reply: FastifyReply, continueTo: string): Waiting => ({
    action: path,
    formToken: deps.sessions.formToken(reply, path),
    fields: [['continue', continueTo]],
    secrets: [],
    isForm: false,
  })
  return [
    accountPage.get(path, ({ request, reply, caller: owner }) => {
      const continueTo = continueTarget(new FormFields(searchOf(request.url)).get('continue'))
      return send(deps, reply, { owner, waiting: waitingFor(reply, continueTo), refusal: undefined }, 200)
    }),
    accountPage.post(path, async call => {
      const { request, reply, caller: owner } = call
      const fields = deps.sessions.checkForm(call, path)
      const continueTo = continueTarget(fields.get('continue'))
      const result = await prove(request, owner, fields)
      if (result.outcome === 'proved') return redirect(reply, continueTo)
      return send(deps, reply, { owner, waiting: waitingFor(reply, continueTo), refusal: result }, 401)
    }),
  ]
}
