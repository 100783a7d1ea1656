import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { memberOf } from '../../companies/callers/board-callers.ts'
import type { ListedPage, ListPosition, Stored } from '../../jobs/postings.ts'
import type { Postings } from '../../jobs/service.ts'
import type { ConsoleMember } from '../../model/principal.ts'
import { isUuid, parseNumericId } from '../../platform/core/ids.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { FormFields } from '../../platform/http/requests/form.ts'
import { type Call, pathId } from '../../platform/http/routes.ts'
import { assetsIn } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { breadcrumb, emptyState, linkButton, notice, pageHead, table } from '../../platform/web/components.ts'
import { type Html, type HtmlValue, html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import {
  type ActCall,
  good,
  type Outcome,
  type Page,
  type PageCall,
  warning,
} from '../../platform/web/tab.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { consoleTab } from '../tab-pages.ts'
import {
  filterIn,
  filterLinks,
  isContinued,
  listPager,
  type PostingState,
  positionIn,
  postingsShown,
  stateBadge,
} from './markup.ts'

export const postingAssets = assetsIn(new URL('assets/', import.meta.url), { 'posting-forms.js': {} })

export interface PostingPageDeps {
  sessions: Sessions
  sentForms: SentForms
}

interface PostingWords {
  title: string
  caption: string
  newEntry: string
  editTitle(name: string): string
  /** Texts of a list without entries, by its filter; `page` is for the page after the last one. */
  empty: Record<'all' | 'open' | 'closed' | 'page', readonly [title: string, text: string]>
  create: string
  save: string
  previewHint: string
  close: string
  open: string
  isCopy: string
  /** Notices of completed acts. */
  made: string
  saved: string
  wasClosed: string
  wasOpened: string
  /** Notices for an entry that is open but past its closing date. */
  past?: { made: string; wasOpened: string }
  /** Texts for a form that exceeds its limits. */
  tooLong: { title: string; text: string; help: string; back: string }
}

/** The differences between the pages of job ads and of questionnaires. */
export interface PostingKind<Content, Form, Row extends { id: number }> {
  tab: 'jobs' | 'screens'
  /** The name of the ID in the path. */
  parameter: 'jobAdId' | 'screenId'
  words: PostingWords
  formLimits: { bodyLimit: number; formFields?: number }
  postings: Postings<Content>

  list(member: ConsoleMember, position: ListPosition): Promise<ListedPage<Row>>
  /** Shown above the list. */
  listNotice?(member: ConsoleMember): Promise<Html | false>
  columns(member: ConsoleMember): Parameters<typeof table<Row>>[0]['columns']

  nameOf(content: Content): string
  stateOf(entry: Stored<Content>, member: ConsoleMember): PostingState
  /** Links beside the heading of the list. */
  listLinks?(advertiserId: number): Html
  /** Links to pages about the entry. */
  linksOf(entry: Stored<Content>): HtmlValue
  /** Shown above the form of the entry. */
  noticeFor?(entry: Stored<Content>): Promise<Html | false>

  newForm(query: FormFields): Form
  formOf(content: Content): Form
  /** The form for a new entry like this one. */
  copyOf(content: Content): Form
  readForm(fields: FormFields): Form
  /** Notice after a button that only changes the form; undefined if another button was pressed. */
  editNotice?(fields: FormFields): string | undefined
  /** The form as an API request body, so that the API's rules validate it; `stored` is the entry that it changes. */
  bodyOf(form: Form, advertiserId: number, stored?: Stored<Content>): object

  formAttributes: Html
  /** `sent`: the fields of a form that is shown again. */
  fieldsOf(
    form: Form,
    page: { member: ConsoleMember; errors: readonly FieldError[]; sent: FormFields },
  ): Html | Promise<Html>
  /** The errors with the form's field names, in its own words. */
  inWords(errors: readonly FieldError[]): FieldError[]
  placeOf?(field: string): string | undefined
  /** The entry as candidates would see it if it were saved now. */
  previewOf(content: Content, member: ConsoleMember, entry: Stored<Content> | undefined): Html
  /** Shown after an edit conflict. */
  changedNotice(current: Stored<Content>, form: Form, member: ConsoleMember): Html | Promise<Html>
}

/** An advertiser's job ads or questionnaires: list, create, edit, close and reopen. */
export function postingPages<Content, Form, Row extends { id: number }>(
  { sessions, sentForms }: PostingPageDeps,
  kind: PostingKind<Content, Form, Row>,
): RouteOptions[] {
  const { tab, words, postings } = kind
  const pages = consoleTab(sessions, tab, { view: 'admin' })
  const url = `/console/:advertiserId/${tab}` as const
  const formLimits = { ...kind.formLimits, errorHandler: tooLarge(tab, words.tooLong) }

  const listOf = ({ caller }: Call<'console'>) => consolePath(caller.advertiserId, tab)
  const find = ({ caller, params }: Call<'console', 'jobAdId' | 'screenId'>) =>
    postings.find(caller.advertiserId, pathId(params[kind.parameter]))

  /** The page of one entry, or of a new one. */
  async function formPage(
    call: PageCall<'console'>,
    { initial, entry, above }: { initial: Form; entry?: Stored<Content>; above?: Html | undefined },
  ): Promise<Page> {
    const { state, caller } = call
    const { values, errors } = state
    const sent = FormFields.of(Object.entries(values))
    const form = sent.pairs().length === 0 ? initial : kind.readForm(sent)
    const back = listOf(call)
    const save = entry === undefined ? words.create : words.save
    return {
      title: entry === undefined ? words.newEntry : words.editTitle(kind.nameOf(entry)),
      heading: pageHead(
        entry === undefined
          ? words.newEntry
          : html`${isolateBidi(kind.nameOf(entry))} ${stateBadge(kind.stateOf(entry, caller))}`,
        entry !== undefined && actionsFor(entry, call),
        breadcrumb([{ href: back, label: words.title }]),
      ),
      labels: kind.placeOf,
      scripts: [postingAssets.url('posting-forms.js')],
      body: html`${above}${entry !== undefined && (await kind.noticeFor?.(entry))}
${call.ownForm({
  action: `${back}/${entry?.id ?? 'new'}`,
  attributes: html`data-posting ${kind.formAttributes}`,
  hidden:
    entry === undefined
      ? { form_key: isUuid(values['form_key'] ?? '') ? (values['form_key'] ?? '') : call.formKey }
      : { updatedAt: values['updatedAt'] ?? String(entry.updatedAt) },
  content: html`<button class="default" type="submit" tabindex="-1" aria-hidden="true">${save}</button>
${await kind.fieldsOf(form, { member: caller, errors, sent })}
<p class="actions"><button type="submit">${save}</button>
<button class="second" type="submit" name="do" value="preview">Preview</button>
<a href="${back}">Cancel</a></p>`,
})}`,
    }
  }

  function actionsFor(entry: Stored<Content>, call: PageCall<'console'>): Html {
    const list = listOf(call)
    const isOpen = entry.status === 'open'
    return html`${kind.linksOf(entry)}
${linkButton(`${list}/new?copy=${entry.id}`, 'Duplicate')}
${call.button({
  action: `${list}/${entry.id}`,
  fields: { do: isOpen ? 'closed' : 'open' },
  label: isOpen ? words.close : words.open,
  kind: isOpen ? 'danger' : 'first',
})}`
  }

  /** Notices of completed acts, unless the entry has changed again since. */
  const noticesIn = (state: PostingState): NonNullable<Page['done']> => {
    const isPublic = state !== 'review' && state !== 'held'
    const { made, wasOpened } = (state === 'past' && words.past) || words
    const said = state === 'past' ? warning : good
    return {
      made: isPublic ? said(made) : 'Saved.',
      saved: words.saved,
      ...(state === 'closed' ? { closed: words.wasClosed } : { open: said(wasOpened) }),
    }
  }

  /** Saves the form's values, unless its button only changes or previews them. */
  async function save(
    { caller, fields, values }: ActCall<'console'>,
    act: (content: Content, form: Form) => Promise<Outcome>,
    entry?: Stored<Content>,
  ): Promise<Outcome> {
    const edited = kind.editNotice?.(fields)
    if (edited !== undefined) return { values, above: notice('info', edited) }
    const form = kind.readForm(fields)
    const saved = await checked(async () => {
      const { content } = postings.read(kind.bodyOf(form, caller.advertiserId, entry))
      if (fields.get('do') !== 'preview') return act(content, form)
      return { values, below: preview(kind.previewOf(content, caller, entry)) }
    })
    return 'errors' in saved ? { errors: kind.inWords(saved.errors) } : saved.result
  }

  const preview = (content: Html) =>
    html`<section class="preview" aria-labelledby="preview-title"><h2 id="preview-title" tabindex="-1" autofocus>Preview</h2>
<p class="hint">${words.previewHint}</p><div class="frame" inert>${content}</div></section>`

  return [
    ...pages(url, {
      async show(call) {
        const path = listOf(call)
        const place = { path, filter: filterIn(call.query), position: positionIn(call.query) }
        const page = await kind.list(call.caller, {
          ...place.position,
          limit: postingsShown,
          status: place.filter,
        })
        const kindOfEmpty = isContinued(place.position) ? 'page' : (place.filter ?? 'all')
        const [title, text] = words.empty[kindOfEmpty]
        const action = kindOfEmpty === 'all' ? { href: `${path}/new`, label: words.newEntry } : undefined
        return {
          title: words.title,
          heading: pageHead(
            words.title,
            html`${page.entries.length > 0 && kind.listLinks?.(call.caller.advertiserId)}<a class="button" href="${path}/new">${words.newEntry}</a>`,
          ),
          isWide: true,
          body: html`${await kind.listNotice?.(call.caller)}${filterLinks(place)}
${table({
  caption: words.caption,
  rows: page.entries,
  columns: kind.columns(call.caller),
  empty: emptyState({ title, text, action }),
})}
${listPager(page, place)}`,
        }
      },
    }),
    ...pages(`${url}/new`, {
      async show(call) {
        const copied = parseNumericId(call.query.get('copy') ?? '')
        if (copied === undefined) return formPage(call, { initial: kind.newForm(call.query) })
        const initial = kind.copyOf(await postings.find(call.caller.advertiserId, copied))
        return formPage(call, { initial, above: notice('info', words.isCopy) })
      },
      acts: {
        '': {
          limits: formLimits,
          run: call =>
            save(call, content =>
              sentForms.once(call, call.fields, async () => {
                const { id } = await postings.add(call.caller.advertiserId, content)
                return `${listOf(call)}/${id}?done=made`
              }),
            ),
        },
      },
    }),
    ...pages(`${url}/:${kind.parameter}` as const, {
      async show(call) {
        const entry = await find(call)
        const page = await formPage(call, { initial: kind.formOf(entry), entry })
        return { ...page, done: noticesIn(kind.stateOf(entry, call.caller)) }
      },
      acts: {
        '': {
          limits: formLimits,
          async run(call) {
            const entry = await find(call)
            const { advertiserId, id } = entry
            const path = `${listOf(call)}/${id}`
            const pressed = call.value('do')
            if (pressed === 'closed' || pressed === 'open') {
              const changed = await checked(() => postings.setStatus(advertiserId, id, pressed))
              if (!('errors' in changed)) return { location: `${path}?done=${pressed}` }
              // The button sent no fields, so the form shows the saved values.
              return { values: {}, errors: kind.inWords(changed.errors) }
            }
            const revise = async (content: Content, form: Form): Promise<Outcome> => {
              const saved = await postings.revise(advertiserId, id, content, Number(call.value('updatedAt')))
              if (saved !== undefined) return { location: `${path}?done=saved` }
              const current = await find(call)
              const values = { ...call.values, updatedAt: String(current.updatedAt) }
              return { status: 409, values, above: await kind.changedNotice(current, form, call.caller) }
            }
            return save(call, revise, entry)
          },
        },
      },
    }),
  ]
}

/** Responds to forms that exceed their limits. */
export function tooLarge(tab: 'jobs' | 'screens', words: PostingWords['tooLong']) {
  return (error: { code?: string }, request: FastifyRequest, reply: FastifyReply): void => {
    const member = memberOf(request)
    const isTooLarge = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' || error.code === 'payload-too-large'
    if (!isTooLarge || member === undefined) throw error
    const { title, text, help, back } = words
    sendPage(reply, {
      status: 413,
      title,
      navigation: consoleNavigation(member, tab),
      body: html`${notice('problem', text)}<p>${help}</p>
<p class="actions">${linkButton(consolePath(member.advertiserId, tab), back)}</p>`,
    })
  }
}
