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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The command equivalent to a form and its action in the audit log: a ledger test checks that both exist. */
    act?: { command: string; audit: string }
  }
}

/** A request for a page, with everything needed to render its forms. */
export interface PageCall<Auth extends PageAuth, Name extends string = never>
  extends Call<Auth, Name>,
    Forms {
  /** Query of the URL. */
  query: FormFields
  /** Form state for fields outside the kit's forms. */
  state: FormState
  /** Whether the reader may send the forms of the page. */
  canChange: boolean
  /** Key for buttons that create an entry: see `SentForms`. */
  formKey: string
  /** The entered value of a sent form's field, or a parameter of the URL; '' if there is none. */
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
  /** The pages above this one, instead of a heading. */
  crumbs?: Parameters<typeof breadcrumb>[0]
  /** Begins the error summary; '' for no beginning. */
  failed?: string
  /** Notices after acts that depend on the page's content; others are declared beside `show`. */
  done?: Notices
  /** Labels for the error summary, where several fields look alike. */
  labels?: Readonly<Record<string, string>> | ((field: string) => string | undefined) | undefined
}

/** The page again, in response to an act. Errors show the form with its entered values. */
export interface Shown extends Partial<FormState> {
  status?: number
  /** Another page to show instead. */
  page?: Page
  above?: Html
  below?: Html
  /** Element IDs of fields with another name, for the error summary. */
  ids?: Readonly<Record<string, string>>
}

/** Keyed by the names that acts return. A plain text reports success. */
type Notices = Readonly<Record<string, Html | string | Shown>>

/**
 * The name of a notice returns to the page, which shows it; a location leads elsewhere. `download`: it has already been
 * sent.
 */
export type Outcome = string | { location: string } | { download: FastifyReply } | Shown

/** The act of a form, declared once. If it throws invalid fields, the form is shown again. */
export interface Act<Auth extends PageAuth, Name extends string> {
  /** The equivalent command. */
  command?: string
  /** The action in the audit log, or the reason why there is none. */
  audit?: string
  proof?: ProofNeed
  /** Text for people who send the form signed out: see `RouteConfig`. */
  signedOutText?: string
  /**
   * The page at the act's own address: a question that leads to it, the reason why it is not possible, or another
   * location.
   */
  ask?(call: PageCall<Auth, Name>): Promise<Question | Page | { location: string }>
  /** Limits of its form, and the response to a form that exceeds them. */
  limits?: Pick<RouteOptions, 'bodyLimit' | 'errorHandler'> & { formFields?: number }
  /** The question after the form was sent; undefined if none is needed. */
  confirm?(call: ActCall<Auth, Name>): Promise<Question | undefined>
  run?(call: ActCall<Auth, Name>): Promise<Outcome>
  /** Replaces `run` for a form with files: reads it, and checks its token before it takes a file. */
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
  /** Applies to the page and all its acts. */
  config?: RouteConfig
  /** Acts by path below the page; '' is the page itself. */
  acts?: { [P in Path]: Act<Auth, PathParameter<`${Url}/${P}`>> }
  /** Several acts at the page's own address, by the name that each form sends: see `Form`. */
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
  /** Applies to acts that specify none. */
  proof?: ProofNeed | undefined
  /** Where a person continues after signing in or proving their identity; by default the form's address. */
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

    /** If values in the URL are invalid, shows them with their errors. */
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

    /** `name` selects one of several acts at the address. */
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
      // An act may have its own path parameters, which its route passes on.
      ...Object.entries((acts ?? {}) as Record<string, Act<Auth, Name>>).flatMap(routesOf),
      ...(namedActs === undefined ? [] : [routeOfNamed(namedActs)]),
    ]
  }
}

/** Several values of one name are joined by line breaks. */
export const valuesOf = (fields: FormFields): FormState['values'] =>
  Object.fromEntries(fields.names().map(name => [name, fields.all(name).join('\n')]))

const noState: FormState = { values: {}, errors: [] }

/** Rethrows any other error. */
function invalidFieldsOf(error: unknown) {
  if (error instanceof Problem && error.code === 'invalid-fields') return error.errors
  throw error
}

/** The page with the form that leads to an act, below the page to which it returns. */
export const questionPage = (
  { title, text, label, keep = 'Cancel', back, crumbs = [], isOnce }: Question,
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

/** The notice named in the URL. */
function doneIn(query: FormFields, done: Notices): Shown {
  const name = query.get('done') ?? ''
  const shown = Object.hasOwn(done, name) ? done[name] : undefined
  if (shown === undefined) return {}
  return typeof shown === 'string' || shown instanceof Html ? good(shown) : shown
}

/**
 * Creates an entry whose secret is shown once: if the same form was sent before, the secret was shown then, and the
 * person is taken to the existing entry.
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

/** A page with a secret, instead of the page with the form that created it. */
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
  /** Why it must be copied now; false if it need not be. */
  warning: HtmlValue
  /** Explains what the secret is for. */
  content?: HtmlValue
  next: { href: string; label?: string }
}): Page => ({
  ...page,
  body: html`${why !== false && notice('warning', html`<p><strong>Copy it now.</strong> ${why}</p>`)}
<div class="card">${copyField({ id: 'secret', label, value })}
${content}
<div class="actions"><a class="button" href="${next.href}">${next.label ?? 'I’ve copied it'}</a></div></div>`,
})
