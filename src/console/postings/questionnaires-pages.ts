import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type FormLimits, questionField, readApplyForm } from '../../apply/form/form.ts'
import { newUuid, parseNumericId } from '../../core/ids.ts'
import { type FieldError, Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import type { PostingLists, StoredQuestionnaire } from '../../jobs/ports.ts'
import type { Questionnaires } from '../../jobs/service.ts'
import type { Answers, Question } from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { checked } from '../refusals.ts'
import { type QuestionnaireFormLimits, questionnaireFormMarkup } from './builder-markup.ts'
import { filterIn, isContinued, keyIn, positionIn } from './list.ts'
import { edited, focusAfter, newQuestion, readEdit } from './questionnaire-edit.ts'
import {
  bodyOfQuestionnaire,
  fieldOfPath,
  formOfQuestionnaire,
  type QuestionnaireForm,
  readQuestionnaireForm,
  withoutEmptyOptions,
  withRoom,
} from './questionnaire-form.ts'
import {
  changedQuestionnaireMarkup,
  questionnaireBadge,
  questionnaireListMarkup,
  tryOutMarkup,
  usersMarkup,
} from './questionnaires-markup.ts'
import { questionnaireTexts as texts } from './questionnaires-texts.ts'

interface PageDeps {
  questionnaires: Questionnaires
  lists: PostingLists
  sessions: Sessions
  sentForms: SentForms
  /** Renders a question as the application form shows it. */
  questionMarkup(shown: {
    question: Question
    number: number
    answer: readonly string[] | string | undefined
    errors: readonly FieldError[]
    limits: FormLimits
  }): Html
  limits: QuestionnaireFormLimits &
    FormLimits & {
      postingsShown: number
      adsNamed: number
      screenFormBytes: number
      screenFormFields: number
      applyFormBytes: number
    }
}

interface Shown {
  form: QuestionnaireForm
  hidden: Record<string, string>
  errors?: readonly FieldError[]
  status?: number
  notices?: Html | undefined
  focus?: string
  preview?: Html
}

const url = '/console/:advertiserId/screens'

/** An advertiser's questionnaires: list, build, try out, close and reopen. */
export function questionnairePages(deps: PageDeps): RouteOptions[] {
  const { questionnaires, lists, sessions, sentForms, limits } = deps
  const config = { auth: 'console', role: 'admin', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const withForm = {
    config: { ...config, body: 'form', formFields: limits.screenFormFields },
    schema,
    errorHandler: tooLarge,
  } as const
  const builder = { ...withForm, bodyLimit: limits.screenFormBytes }

  const listOf = (request: FastifyRequest) => consolePath(request.member.advertiserId, 'screens')
  const navigation = ({ member }: FastifyRequest) => consoleNavigation(member, 'screens')

  function findQuestionnaire(request: FastifyRequest): Promise<StoredQuestionnaire> {
    const id = parseNumericId((request.params as { screenId: string }).screenId)
    if (id === undefined) throw new Problem('not-found')
    return questionnaires.find(request.member.advertiserId, id)
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    screen: StoredQuestionnaire | undefined,
    shown: Shown,
  ): Promise<FastifyReply> {
    const list = listOf(request)
    const path = screen === undefined ? `${list}/new` : `${list}/${screen.id}`
    const title = screen === undefined ? texts.newQuestionnaire : screen.name
    return sendPage(reply, {
      status: shown.status ?? (shown.errors === undefined ? 200 : 422),
      title: screen === undefined ? title : texts.editTitle(title),
      heading: pageHead(
        screen === undefined ? title : html`${isolateBidi(title)} ${questionnaireBadge(screen.status)}`,
        screen !== undefined && actionsFor(request, reply, screen, path),
        breadcrumb([{ href: list, label: texts.title }]),
      ),
      navigation: navigation(request),
      scripts: ['posting-forms.js'],
      body: questionnaireFormMarkup({
        path,
        back: list,
        form: shown.form,
        hidden: { form_token: sessions.formToken(request, reply, path), ...shown.hidden },
        limits,
        errors: (shown.errors ?? []).map(({ field, code }) => ({
          field: fieldOfPath(field),
          code,
          message: texts.fault(field, code, limits),
        })),
        notices: html`${shown.notices}${screen !== undefined && (await usersOf(screen))}`,
        focus: shown.focus,
        preview: shown.preview,
      }),
    })
  }

  async function usersOf({ advertiserId, id }: StoredQuestionnaire): Promise<Html | false> {
    const ads = await lists.adsWithScreen(advertiserId, id, limits.adsNamed + 1)
    return usersMarkup(ads, limits.adsNamed, consolePath(advertiserId, 'jobs'))
  }

  function actionsFor(
    request: FastifyRequest,
    reply: FastifyReply,
    { id, advertiserId, status }: StoredQuestionnaire,
    path: string,
  ): Html {
    const isOpen = status === 'open'
    return html`<a class="button second" href="${path}/preview">${texts.tryIt}</a>
${isOpen && html`<a class="button second" href="${consolePath(advertiserId, 'jobs')}/new?screen=${id}">${texts.useIt}</a>`}
<a class="button second" href="${listOf(request)}/new?copy=${id}">${texts.copy}</a>
${actionForm({
  action: path,
  token: sessions.formToken(request, reply, path),
  fields: { do: isOpen ? 'closed' : 'open' },
  label: isOpen ? texts.close : texts.open,
  kind: isOpen ? 'danger' : 'first',
})}`
  }

  function tooLarge(error: { code?: string }, request: FastifyRequest, reply: FastifyReply): void {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE' && error.code !== 'payload-too-large') throw error
    sendPage(reply, {
      status: 413,
      title: texts.tooLongTitle,
      navigation: navigation(request),
      body: html`${notice('problem', texts.tooLong(Math.floor(limits.screenFormBytes / 1024 / 1024), limits.screenFormFields))}
<p>${texts.tooLongHelp}</p>
<p class="actions"><a class="button second" href="${listOf(request)}">${texts.back}</a></p>`,
    })
  }

  const questionsMarkup = (questions: readonly Question[], answers: Answers, errors: readonly FieldError[]) =>
    questions.map((question, row) =>
      deps.questionMarkup({
        question,
        number: row + 1,
        answer: answers.get(question.id),
        errors,
        limits,
      }),
    )

  /** Returns the content to save, or for any other button the changed form to show again. */
  async function readSent(request: FastifyRequest, fields: FormFields) {
    const typed = readQuestionnaireForm(fields)
    const pressed = fields.get('do')
    const edit = readEdit(pressed ?? '')
    if (edit !== undefined) {
      const form = edited(typed, edit, limits)
      const notices = notice('info', texts.notSaved)
      return { again: { form, notices, focus: focusAfter(edit, form) } }
    }
    const form = withoutEmptyOptions(typed)
    const { advertiserId } = request.member
    const read = await checked(() => questionnaires.read(bodyOfQuestionnaire(form, advertiserId)).content)
    if ('errors' in read) return { again: { form: withRoom(form), ...read } }
    if (pressed !== 'preview') return { form, content: read.result }
    const preview = html`${questionsMarkup(read.result.questions, new Map(), [])}`
    return { again: { form, preview } }
  }

  function showTryOut(
    request: FastifyRequest,
    reply: FastifyReply,
    screen: StoredQuestionnaire,
    { answers, errors = [], isAnswered = false }: Tried,
  ): FastifyReply {
    const back = `${listOf(request)}/${screen.id}`
    const path = `${back}/preview`
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.tryTitle(screen.name),
      heading: pageHead(
        texts.tryHeading(screen.name),
        false,
        breadcrumb([
          { href: listOf(request), label: texts.title },
          { href: back, label: screen.name },
        ]),
      ),
      navigation: navigation(request),
      body: tryOutMarkup({
        path,
        back,
        formToken: sessions.formToken(request, reply, path),
        screen,
        answers,
        errors,
        isAnswered,
        questions: questionsMarkup(screen.questions, answers, errors),
      }),
    })
  }

  return [
    {
      method: 'GET',
      url,
      config,
      schema,
      handler: async (request, reply) => {
        const query = new FormFields(searchOf(request.raw.url))
        const filter = filterIn(query)
        const position = positionIn(query)
        const path = listOf(request)
        const page = await lists.screens(request.member.advertiserId, {
          ...position,
          limit: limits.postingsShown,
          status: filter,
        })
        return sendPage(reply, {
          title: texts.title,
          heading: pageHead(
            texts.title,
            html`<a class="button" href="${path}/new">${texts.newQuestionnaire}</a>`,
          ),
          navigation: navigation(request),
          isWide: true,
          body: questionnaireListMarkup(page, { path, filter, isContinued: isContinued(position) }),
        })
      },
    },
    {
      method: 'GET',
      url: `${url}/new`,
      config,
      schema,
      handler: async (request, reply) => {
        const copied = parseNumericId(new FormFields(searchOf(request.raw.url)).get('copy') ?? '')
        const hidden = { form_key: newUuid() }
        if (copied === undefined) {
          const form = { name: '', questions: [newQuestion('MultipleChoiceOneAnswer')] }
          return show(request, reply, undefined, { form, hidden })
        }
        const form = formOfQuestionnaire(await questionnaires.find(request.member.advertiserId, copied))
        const notices = notice('info', texts.isCopy)
        return show(request, reply, undefined, {
          form: { ...form, name: texts.copyOf(form.name).slice(0, limits.nameLength) },
          hidden,
          notices,
        })
      },
    },
    {
      method: 'POST',
      url: `${url}/new`,
      ...builder,
      handler: async (request, reply) => {
        const list = listOf(request)
        const fields = sessions.checkForm(request, `${list}/new`)
        const sent = await readSent(request, fields)
        if (sent.again !== undefined) {
          return show(request, reply, undefined, { ...sent.again, hidden: { form_key: keyIn(fields) } })
        }
        const { location } = await sentForms.once(request, fields, async () => {
          const screen = await questionnaires.add(request.member.advertiserId, sent.content)
          return `${list}/${screen.id}?done=made`
        })
        return redirect(reply, location)
      },
    },
    {
      method: 'GET',
      url: `${url}/:screenId`,
      config,
      schema,
      handler: async (request, reply) => {
        const screen = await findQuestionnaire(request)
        const done = new FormFields(searchOf(request.raw.url)).get('done')
        return show(request, reply, screen, {
          form: formOfQuestionnaire(screen),
          hidden: { updatedAt: String(screen.updatedAt) },
          notices: doneNotice(done, screen),
        })
      },
    },
    {
      method: 'POST',
      url: `${url}/:screenId`,
      ...builder,
      handler: async (request, reply) => {
        const screen = await findQuestionnaire(request)
        const path = `${listOf(request)}/${screen.id}`
        const fields = sessions.checkForm(request, path)
        const pressed = fields.get('do')
        if (pressed === 'closed' || pressed === 'open') {
          await questionnaires.setStatus(screen.advertiserId, screen.id, pressed)
          return redirect(reply, `${path}?done=${pressed}`)
        }
        const from = fields.get('updatedAt') ?? ''
        const sent = await readSent(request, fields)
        if (sent.again !== undefined) {
          return show(request, reply, screen, { ...sent.again, hidden: { updatedAt: from } })
        }
        const saved = await questionnaires.revise(screen.advertiserId, screen.id, sent.content, Number(from))
        if (saved !== undefined) return redirect(reply, `${path}?done=saved`)
        const current = await findQuestionnaire(request)
        return show(request, reply, current, {
          form: sent.form,
          hidden: { updatedAt: String(current.updatedAt) },
          status: 409,
          notices: changedQuestionnaireMarkup(current, path),
        })
      },
    },
    {
      method: 'GET',
      url: `${url}/:screenId/preview`,
      config,
      schema,
      handler: async (request, reply) =>
        showTryOut(request, reply, await findQuestionnaire(request), { answers: new Map() }),
    },
    {
      method: 'POST',
      url: `${url}/:screenId/preview`,
      ...withForm,
      bodyLimit: limits.applyFormBytes,
      handler: async (request, reply) => {
        const screen = await findQuestionnaire(request)
        const fields = sessions.checkForm(request, `${listOf(request)}/${screen.id}/preview`)
        const { answers } = readApplyForm(fields, screen)
        const errors = checkAnswers(screen, answers, limits, questionField)
        return showTryOut(request, reply, screen, { answers, errors, isAnswered: errors.length === 0 })
      },
    },
  ]
}

interface Tried {
  answers: Answers
  errors?: readonly FieldError[]
  isAnswered?: boolean
}

function doneNotice(done: string | undefined, { status }: StoredQuestionnaire): Html | undefined {
  if (done === 'made') return notice('good', texts.made)
  if (done === 'saved') return notice('good', texts.saved)
  if (done === 'closed' && status === 'closed') return notice('good', texts.wasClosed)
  return done === 'open' && status === 'open' ? notice('good', texts.wasOpened) : undefined
}
