import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { normaliseEmail } from '../core/email.ts'
import { newUuid } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'
import type { Callers } from '../http/auth/callers.ts'
import type { ProofNeed } from '../http/auth/fresh-proof.ts'
import type { Sessions } from '../http/auth/sessions.ts'
import type { SentForms } from '../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../http/requests/form.ts'
import type { Call, FormCall, PathParameter, RouteConfig } from '../http/routes.ts'
import { stripBidi } from './bidi.ts'
import { breadcrumb, copyField, linkButton, type NoticeKind, notice, pageHead } from './components.ts'
import { errorSummary } from './fields.ts'
import { type FormState, type Forms, formsOf, type Question, questionForm } from './forms.ts'
import { Html, type HtmlValue, html } from './html.ts'
import { type PageOptions, redirect } from './page-response.ts'
import type { PageAuth, PageBuilders } from './page-routes.ts'
import { t } from './t.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a form does, and how else it can be done: a ledger test compares both with what exists. */
    act?: { command: string; audit: string }
  }
}

/** A request for a page, with the means to draw its forms. */
export interface PageCall<Auth extends PageAuth, Name extends string = never>
  extends Call<Auth, Name>,
    Forms {
  /** Query of the address. */
  query: FormFields
  /** For fields outside the kit's forms. */
  state: FormState
  /** Whether the reader may send the forms of the page. */
  canChange: boolean
  /** For buttons that create something: see `SentForms`. */
  formKey: string
  /** A field of the form that was sent, as it was typed, or a parameter of the address; '' if there is none. */
  value(name: string): string
}

export interface ActCall<Auth extends PageAuth, Name extends string = never> extends PageCall<Auth, Name> {
  fields: FormFields
  /** Values of the fields, to show the form again. */
  values: FormState['values']
}

export interface Page
  extends Pick<
    PageOptions,
    'title' | 'heading' | 'body' | 'isWide' | 'styles' | 'scripts' | 'hasPreview' | 'formTarget'
  > {
  /** The pages above this one, in place of a heading. */
  crumbs?: Parameters<typeof breadcrumb>[0]
  /** Begins the summary of errors; '' if nothing does. */
  failed?: string
  /** Notices after acts that depend on what the page shows; others stand beside `show`. */
  done?: Notices
  /** Labels for the summary of errors, where several fields look alike. */
  labels?: Readonly<Record<string, string>> | ((field: string) => string | undefined) | undefined
}

/** The page again, in response to an act. Errors show the form with what was typed. */
export interface Shown extends Partial<FormState> {
  status?: number
  /** Another page in its place. */
  page?: Page
  above?: Html
  below?: Html
  /** Element IDs of fields that have another name, for the summary of errors. */
  ids?: Readonly<Record<string, string>>
}

/** By the names that acts return. A text is good news. */
type Notices = Readonly<Record<string, Html | string | Shown>>

/** The name of a notice leads back to the page, which shows it; a location leads elsewhere. A download has been sent. */
export type Outcome = string | { location: string } | { download: FastifyReply } | Shown

/** What a person does with a form, declared once. Invalid fields that it throws show the form again. */
export interface Act<Auth extends PageAuth, Name extends string> {
  /** The command that does the same. */
  command?: string
  /** The action in the audit log, or why there is none. */
  audit?: string
  proof?: ProofNeed
  /** For people who are signed out and send the form: see `RouteConfig`. */
  signedOutText?: string
  /** The page at the address of the act: a question that leads to it, why it can't be done, or where else to go. */
  ask?(call: PageCall<Auth, Name>): Promise<Question | Page | { location: string }>
  /** Limits of its form, and what is shown to a person whose form exceeds them. */
  limits?: Pick<RouteOptions, 'bodyLimit' | 'errorHandler'> & { formFields?: number }
  /** What is asked after the form was sent; undefined if nothing is. */
  confirm?(call: ActCall<Auth, Name>): Promise<Question | undefined>
  run?(call: ActCall<Auth, Name>): Promise<Outcome>
  /** In place of `run`, for a form with files: reads it, and checks its token before it takes a file. */
  upload?(call: UploadCall<Auth, Name>): Promise<Outcome>
}

export interface UploadCall<Auth extends PageAuth, Name extends string = never> extends PageCall<Auth, Name> {
  checkToken(token: string | undefined): void
}

type Shows = Page | { location: string }

export interface TabPage<Auth extends PageAuth, Url extends string, Path extends string> {
  /** Returns a location where there is nothing to show. */
  show(call: PageCall<Auth, PathParameter<Url>>): Shows | Promise<Shows>
  /** Notices after acts. */
  done?: Notices
  /** Applies to the page and its acts. */
  config?: RouteConfig
  /** By path below the page; '' is the page itself. */
  acts?: { [P in Path]: Act<Auth, PathParameter<`${Url}/${P}`>> }
  /** Several at the address of the page itself, by the name that each form sends along: see `Form`. */
  namedActs?: Readonly<Record<string, NamedAct<Auth, PathParameter<Url>>>>
}

type NamedAct<Auth extends PageAuth, Name extends string> = Pick<Act<Auth, Name>, 'proof' | 'confirm' | 'run'>

const noticed =
  (kind: NoticeKind) =>
  (text: Html | string): Shown => ({ above: notice(kind, text) })
export const good = noticed('good')
export const info = noticed('info')
export const warning = noticed('warning')
export const refusal = (text: string, status = 409): Shown => ({ status, above: notice('problem', text) })

/** Builds the pages of one tab, each with its acts. */
export function tabOf<Auth extends PageAuth>(room: {
  sessions: Sessions
  view: Pick<PageBuilders<Auth>, 'get'>
  change: Pick<PageBuilders<Auth>, 'get' | 'post' | 'upload'>
  /** For every act that names none. */
  proof?: ProofNeed | undefined
  /** Where a person continues who has to sign in or to prove who they are; by default the address of the form. */
  formPage?: string
  canChange(caller: Callers[Auth]): boolean
  send(
    call: Call<Auth>,
    page: Omit<Page, 'crumbs' | 'done' | 'failed' | 'labels'> & { status: number },
  ): FastifyReply
}) {
  const { sessions } = room
  const formPage = room.formPage === undefined ? {} : { formPage: room.formPage }

  return <const Url extends string, Path extends string = never>(
    url: Url,
    { show, done = {}, acts, namedActs, config: common }: TabPage<Auth, Url, Path>,
  ): RouteOptions[] => {
    type Name = PathParameter<Url>
    const kitFor = ({ request, reply, caller }: Call<Auth>, state: FormState = noState) => ({
      ...formsOf(sessions, reply, state),
      state,
      query: new FormFields(searchOf(request.url)),
      canChange: room.canChange(caller),
      formKey: newUuid(),
      value(name: string) {
        const sent = request.body instanceof FormFields ? request.body : new FormFields(searchOf(request.url))
        return sent.get(name) ?? ''
      },
    })

    async function send(call: Call<Auth, Name>, { above, below, ids, ...shown }: Shown) {
      const { values = {}, errors = [], action, act } = shown
      const kit = kitFor(call, { values, errors, action, act })
      const page = shown.page ?? (await show({ ...call, ...kit }))
      if ('location' in page) return redirect(call.reply, page.location)
      const { failed, labels, crumbs, body, done: own = {}, ...rest } = page
      const { status = errors.length > 0 ? 422 : 200 } = shown
      const heading = crumbs && { heading: pageHead(stripBidi(page.title), false, breadcrumb(crumbs)) }
      const labelOf = typeof labels === 'function' ? labels : (field: string) => labels?.[field]
      const summary = errorSummary(errors, labelOf, failed, ids)
      const notices = html`${above}${doneIn(kit.query, own).above}${summary}`
      return room.send(call, { ...heading, ...rest, status, body: html`${notices}\n${body}${below}` })
    }

    /** With the values of the address, where they are at fault. */
    async function open(call: Call<Auth, Name>) {
      const { query } = kitFor(call)
      const shown = { ...doneIn(query, done) }
      return send(call, shown).catch(error =>
        send(call, { ...shown, values: valuesOf(query), errors: invalidFieldsOf(error) }),
      )
    }

    async function finish(
      call: Call<Auth, Name>,
      { values, act }: Pick<FormState, 'values' | 'act'>,
      run: () => Promise<Outcome>,
    ) {
      const outcome = await run().catch((error: unknown) => ({ errors: invalidFieldsOf(error) }))
      if (typeof outcome === 'string')
        return redirect(call.reply, `${pathTo(url, call.params)}?done=${outcome}`)
      if ('download' in outcome) return outcome.download
      return 'location' in outcome
        ? redirect(call.reply, outcome.location)
        : send(call, {
            action: ownPath(call.request),
            act,
            ...('errors' in outcome && { values }),
            ...outcome,
          })
    }

    /** `name`: where the address has several acts. */
    async function perform(
      call: FormCall<Auth, Name>,
      act: Omit<Act<Auth, Name>, 'upload'> | undefined,
      name?: string,
    ) {
      const action = ownPath(call.request)
      const purpose = name === undefined ? [action] : [action, name]
      const fields = sessions.checkForm(call, ...purpose)
      if (act === undefined) throw new Problem('bad-request')
      const values = valuesOf(fields)
      const kit = { ...call, ...kitFor(call), values }
      const question = await act.confirm?.(kit)
      const isConfirmed = kit.value('confirmed') === 'yes'
      const isTyped = question?.address === undefined || isSame(question.address, kit.value('typed'))
      if (question === undefined || (isConfirmed && isTyped))
        return finish(call, { values, act: name }, async () => act.run?.(kit) ?? {})
      const token = sessions.formToken(call.reply, ...purpose)
      return room.send(call, {
        title: question.title,
        status: isConfirmed ? 422 : 200,
        body: questionForm(question, { action, token, isWrong: isConfirmed, act: name }),
      })
    }

    const routesOf = ([path, act]: [string, Act<Auth, Name>]) => {
      const { command, audit, proof = room.proof, limits, signedOutText, ask, upload } = act
      const to = path === '' ? url : `${url}/${path}`
      const config = {
        ...common,
        ...(command === undefined || audit === undefined ? {} : { act: { command, audit } }),
        ...(proof === undefined ? {} : { proof }),
        ...(signedOutText === undefined ? {} : { signedOutText }),
        ...limits,
      }
      const asked =
        ask &&
        room.change.get<Url>(
          to as Url,
          async call => {
            const kit = { ...call, ...kitFor(call) }
            const page = await ask(kit)
            if ('location' in page) return redirect(call.reply, page.location)
            return send(call, {
              page: 'body' in page ? page : questionPage(page, ownPath(call.request), kit),
            })
          },
          common,
        )
      const acting =
        upload === undefined
          ? room.change.post<Url>(to as Url, call => perform(call, act), { ...config, ...formPage })
          : room.change.upload<Url>(
              to as Url,
              call => {
                const checkToken = (token: string | undefined) =>
                  sessions.checkFormToken(call.request, token, ownPath(call.request))
                return finish(call, { values: {} }, () => upload({ ...call, ...kitFor(call), checkToken }))
              },
              config,
            )
      return asked === undefined ? [acting] : [asked, acting]
    }

    function routeOfNamed(named: Readonly<Record<string, NamedAct<Auth, Name>>>) {
      const proof = Object.fromEntries(
        Object.entries(named).flatMap(([name, { proof = room.proof }]) =>
          proof === undefined ? [] : [[name, proof]],
        ),
      )
      const handle = (call: FormCall<Auth, Name>) => {
        const name = call.fields.get('action') ?? ''
        return perform(call, Object.hasOwn(named, name) ? named[name] : undefined, name)
      }
      return room.change.post<Url>(url, handle, { ...common, proof, ...formPage })
    }

    return [
      room.view.get(url, open, common),
      // An act may have its own parameters, which its route hands over.
      ...Object.entries((acts ?? {}) as Record<string, Act<Auth, Name>>).flatMap(routesOf),
      ...(namedActs === undefined ? [] : [routeOfNamed(namedActs)]),
    ]
  }
}

/** Values of one name are on lines of their own. */
export const valuesOf = (fields: FormFields): FormState['values'] =>
  Object.fromEntries(fields.names().map(name => [name, fields.all(name).join('\n')]))

const noState: FormState = { values: {}, errors: [] }

/** Rethrows any other error. */
function invalidFieldsOf(error: unknown) {
  if (error instanceof Problem && error.code === 'invalid-fields') return error.errors
  throw error
}

/** The form that leads to an act, below the page that it returns to. */
export const questionPage = (
  { title, text, label, keep = t`Cancel`, back, crumbs = [], isOnce }: Question,
  action: string,
  { form }: Forms,
): Page => ({
  title,
  crumbs,
  body: form({ action, text, label, kind: 'danger', isOnce, beside: linkButton(back, keep) }),
})

const isSame = (address: string, typed: string) => normaliseEmail(address) === normaliseEmail(typed)

const ownPath = ({ url }: FastifyRequest) => url.replace(/\?.*$/s, '')

const pathTo = (url: string, params: Readonly<Record<string, string>>) =>
  url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** The notice that the address names. */
function doneIn(query: FormFields, done: Notices): Shown {
  const name = query.get('done') ?? ''
  const shown = Object.hasOwn(done, name) ? done[name] : undefined
  if (shown === undefined) return {}
  return typeof shown === 'string' || shown instanceof Html ? good(shown) : shown
}

/**
 * Makes something whose secret is shown once: if the same form was sent before, it was shown then, and the person is led
 * to what was made.
 */
export async function showOnce<Made>(
  sentForms: SentForms,
  call: Parameters<SentForms['once']>[0] & { fields: FormFields },
  { make, location, show }: { make(): Promise<Made>; location(made: Made): string; show(made: Made): Page },
): Promise<Outcome> {
  const made: Made[] = []
  const sent = await sentForms.once(call, call.fields, async () => {
    const first = await make()
    made.push(first)
    return location(first)
  })
  const [first] = made
  return first === undefined ? { location: sent.location } : { page: show(first) }
}

/** A page with a secret, in place of the page with the form that made it. */
export const secretPage = ({
  label,
  value,
  warning: why,
  content,
  next,
  ...page
}: Pick<Page, 'title' | 'crumbs'> & {
  label: string
  value: string
  /** Why it has to be copied now; false if it doesn't. */
  warning: HtmlValue
  /** What the secret is for. */
  content?: HtmlValue
  next: { href: string; label?: string }
}): Page => ({
  ...page,
  body: html`${why !== false && notice('warning', html`<p><strong>${t`Copy it now.`}</strong> ${why}</p>`)}
<div class="card">${copyField({ id: 'secret', label, value })}
${content}
<div class="actions"><a class="button" href="${next.href}">${next.label ?? t`I’ve copied it`}</a></div></div>`,
})
