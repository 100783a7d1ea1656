import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import type { FieldError } from '../../core/problems.ts'
import { memberOf } from '../../http/auth/callers.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { ListedPage, ListPosition, Stored } from '../../jobs/ports.ts'
import type { Postings } from '../../jobs/service.ts'
import type { Limits } from '../../limits.ts'
import type { ConsoleMember } from '../../model/principal.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { filterIn, isContinued, keyIn, positionIn } from './list.ts'
import { doneNotice, formMarkup, listMarkup, type PostingState, stateBadge } from './markup.ts'
import { type PostingTexts, postingTexts as shared } from './texts.ts'

export interface PostingPageDeps {
  sessions: Sessions
  sentForms: SentForms
  limits: Pick<Limits, 'postingsShown'>
}

/** A form that is shown again, with what has become of it. */
interface Again<Form> {
  form: Form
  notices?: Html | undefined
  errors?: readonly FieldError[]
  /** The field or button that gets the focus. */
  focus?: string
  preview?: Html
  status?: number
}

interface Shown<Form> extends Again<Form> {
  hidden: Record<string, string>
}

/** What differs between the pages of job ads and those of questionnaires. */
export interface PostingKind<Content, Form, Row extends { id: number }> {
  tab: 'jobs' | 'screens'
  /** The name of the ID in the path. */
  parameter: 'jobAdId' | 'screenId'
  texts: PostingTexts
  /** Explains that a form exceeds `bodyLimit` or `formFields`. */
  tooLong(): string
  formLimits: { bodyLimit: number; formFields?: number }
  postings: Postings<Content>

  list(advertiserId: number, position: ListPosition): Promise<ListedPage<Row>>
  cellsOf(row: Row, advertiserId: number): readonly (Html | string)[]

  nameOf(content: Content): string
  stateOf(entry: Stored<Content>): PostingState
  /** Links to pages about the entry. */
  linksOf(entry: Stored<Content>): Html
  /** Shown above the form of the entry. */
  noticeFor?(entry: Stored<Content>): Promise<Html | false>

  newForm(query: FormFields): Form
  formOf(content: Content): Form
  /** The form for a new entry like this one. */
  copyOf(content: Content): Form
  readForm(fields: FormFields): Form
  /** The form after a button that only changes the form; undefined if another button was pressed. */
  edit?(fields: FormFields): Again<Form> | undefined
  /** The form as an API request body, so that the API's rules validate it; `stored` is the entry that it changes. */
  bodyOf(form: Form, advertiserId: number, stored?: Stored<Content>): object

  formAttributes: Html
  fieldsOf(
    form: Form,
    page: { advertiserId: number; errors: readonly FieldError[]; focus: string | undefined },
  ): Html | Promise<Html>
  /** The errors as the form names its fields, in its own words. */
  inWords(errors: readonly FieldError[]): FieldError[]
  placeOf?(field: string): string | undefined
  /** The entry as candidates would see it if it were saved now. */
  previewOf(content: Content, member: ConsoleMember, entry: Stored<Content> | undefined): Html
  /** Shown after an edit conflict. */
  changedMarkup(current: Stored<Content>, form: Form): Html | Promise<Html>
}

/** An advertiser's job ads or questionnaires: list, create, edit, close and reopen. */
export function postingPages<Content, Form, Row extends { id: number }>(
  { sessions, sentForms, limits }: PostingPageDeps,
  kind: PostingKind<Content, Form, Row>,
): RouteOptions[] {
  const { tab, texts, postings } = kind
  const url = `/console/:advertiserId/${tab}` as const
  const entryUrl = `${url}/:${kind.parameter}` as const
  const formOptions = { ...kind.formLimits, errorHandler: tooLarge(kind) }

  const listOf = ({ caller }: Call<'console'>) => consolePath(caller.advertiserId, tab)
  const queryOf = ({ request }: Call<'console'>) => new FormFields(searchOf(request.raw.url))
  const find = ({ caller, params }: Call<'console', 'jobAdId' | 'screenId'>) =>
    postings.find(caller.advertiserId, pathId(params[kind.parameter]))

  async function show(
    call: Call<'console'>,
    entry: Stored<Content> | undefined,
    { form, hidden, notices, focus, preview, ...shown }: Shown<Form>,
  ): Promise<FastifyReply> {
    const { reply, caller } = call
    const back = listOf(call)
    const path = `${back}/${entry?.id ?? 'new'}`
    const token = sessions.formToken(reply, path)
    const errors = kind.inWords(shown.errors ?? [])
    return sendPage(reply, {
      status: shown.status ?? (shown.errors === undefined ? 200 : 422),
      title: entry === undefined ? texts.newEntry : texts.editTitle(kind.nameOf(entry)),
      heading: pageHead(
        entry === undefined
          ? texts.newEntry
          : html`${isolateBidi(kind.nameOf(entry))} ${stateBadge(kind.stateOf(entry))}`,
        entry !== undefined && actionsFor(entry, back, token),
        breadcrumb([{ href: back, label: texts.title }]),
      ),
      navigation: consoleNavigation(caller, tab),
      scripts: ['posting-forms.js'],
      body: formMarkup({
        path,
        back,
        hidden: { form_token: token, ...hidden },
        save: entry === undefined ? texts.create : texts.save,
        attributes: kind.formAttributes,
        fields: await kind.fieldsOf(form, { advertiserId: caller.advertiserId, errors, focus }),
        errors,
        placeOf: kind.placeOf,
        notices: html`${notices}${entry !== undefined && (await kind.noticeFor?.(entry))}`,
        preview,
        previewHint: texts.previewHint,
      }),
    })
  }

  function actionsFor(entry: Stored<Content>, list: string, token: string): Html {
    const isOpen = entry.status === 'open'
    return html`${kind.linksOf(entry)}
<a class="button second" href="${list}/new?copy=${entry.id}">${shared.copy}</a>
${actionForm({
  action: `${list}/${entry.id}`,
  token,
  fields: { do: isOpen ? 'closed' : 'open' },
  label: isOpen ? texts.close : texts.open,
  kind: isOpen ? 'danger' : 'first',
})}`
  }

  /** Returns the content to save; or, if there is nothing to save, the form to show again. */
  async function readSent(
    { caller }: Call<'console'>,
    fields: FormFields,
    entry?: Stored<Content>,
  ): Promise<{ again: Again<Form> } | { again?: undefined; form: Form; content: Content }> {
    const again = kind.edit?.(fields)
    if (again !== undefined) return { again }
    const form = kind.readForm(fields)
    const read = await checked(() => postings.read(kind.bodyOf(form, caller.advertiserId, entry)).content)
    if ('errors' in read) return { again: { form, ...read } }
    if (fields.get('do') !== 'preview') return { form, content: read.result }
    return { again: { form, preview: kind.previewOf(read.result, caller, entry) } }
  }

  return [
    adminPage.get(url, async call => {
      const { advertiserId } = call.caller
      const query = queryOf(call)
      const filter = filterIn(query)
      const position = positionIn(query)
      const path = listOf(call)
      const page = await kind.list(advertiserId, {
        ...position,
        limit: limits.postingsShown,
        status: filter,
      })
      const place = { path, filter, isContinued: isContinued(position) }
      return sendPage(call.reply, {
        title: texts.title,
        heading: pageHead(texts.title, html`<a class="button" href="${path}/new">${texts.newEntry}</a>`),
        navigation: consoleNavigation(call.caller, tab),
        isWide: true,
        body: listMarkup(page, place, texts, row => kind.cellsOf(row, advertiserId)),
      })
    }),
    adminPage.get(`${url}/new`, async call => {
      const query = queryOf(call)
      const copied = parseNumericId(query.get('copy') ?? '')
      const hidden = { form_key: newUuid() }
      if (copied === undefined) return show(call, undefined, { form: kind.newForm(query), hidden })
      const form = kind.copyOf(await postings.find(call.caller.advertiserId, copied))
      return show(call, undefined, { form, hidden, notices: notice('info', texts.isCopy) })
    }),
    adminPage.post(
      `${url}/new`,
      async call => {
        const { caller, reply } = call
        const list = listOf(call)
        const fields = sessions.checkForm(call, `${list}/new`)
        const hidden = { form_key: keyIn(fields) }
        const read = await readSent(call, fields)
        if (read.again !== undefined) return show(call, undefined, { ...read.again, hidden })
        const { form, content } = read
        const sent = await checked(() =>
          sentForms.once(call, fields, async () => {
            const { id } = await postings.add(caller.advertiserId, content)
            return `${list}/${id}?done=made`
          }),
        )
        if ('errors' in sent) return show(call, undefined, { form, hidden, ...sent })
        return redirect(reply, sent.result.location)
      },
      formOptions,
    ),
    adminPage.get(entryUrl, async call => {
      const entry = await find(call)
      return show(call, entry, {
        form: kind.formOf(entry),
        hidden: { updatedAt: String(entry.updatedAt) },
        notices: doneNotice(queryOf(call).get('done'), kind.stateOf(entry), texts),
      })
    }),
    adminPage.post(
      entryUrl,
      async call => {
        const entry = await find(call)
        const { advertiserId, id } = entry
        const path = `${listOf(call)}/${id}`
        const fields = sessions.checkForm(call, path)
        const pressed = fields.get('do')
        if (pressed === 'closed' || pressed === 'open') {
          await postings.setStatus(advertiserId, id, pressed)
          return redirect(call.reply, `${path}?done=${pressed}`)
        }
        const from = fields.get('updatedAt') ?? ''
        const hidden = { updatedAt: from }
        const read = await readSent(call, fields, entry)
        if (read.again !== undefined) return show(call, entry, { ...read.again, hidden })
        const { form, content } = read
        const saved = await checked(() => postings.revise(advertiserId, id, content, Number(from)))
        if ('errors' in saved) return show(call, entry, { form, hidden, ...saved })
        if (saved.result !== undefined) return redirect(call.reply, `${path}?done=saved`)
        const current = await find(call)
        return show(call, current, {
          form,
          hidden: { updatedAt: String(current.updatedAt) },
          status: 409,
          notices: await kind.changedMarkup(current, form),
        })
      },
      formOptions,
    ),
  ]
}

/** Handles forms that exceed their limits. */
export function tooLarge({ tab, texts, tooLong }: Pick<AnyKind, 'tab' | 'texts' | 'tooLong'>) {
  return (error: { code?: string }, request: FastifyRequest, reply: FastifyReply): void => {
    const member = memberOf(request)
    const isTooLarge = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' || error.code === 'payload-too-large'
    if (!isTooLarge || member === undefined) throw error
    sendPage(reply, {
      status: 413,
      title: texts.tooLongTitle,
      navigation: consoleNavigation(member, tab),
      body: html`${notice('problem', tooLong())}<p>${texts.tooLongHelp}</p>
<p class="actions"><a class="button second" href="${consolePath(member.advertiserId, tab)}">${texts.back}</a></p>`,
    })
  }
}

type AnyKind = PostingKind<unknown, unknown, { id: number }>
