import type { FastifyReply, RouteOptions } from 'fastify'
import { type FormLimits, questionField, readApplyForm } from '../../apply/form/form.ts'
import { randomWord } from '../../core/ids.ts'
import type { FieldError } from '../../core/problems.ts'
import { type Call, pathId } from '../../http/routes.ts'
import type { OwnQuestionnaire, PostingLists, StoredQuestionnaire } from '../../jobs/ports.ts'
import type { Questionnaires } from '../../jobs/service.ts'
import type { Limits } from '../../limits.ts'
import type { Answers, Question, QuestionnaireFields } from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { breadcrumb, notice, pageHead } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { sendPage } from '../../web/page-response.ts'
import { adminPage } from '../../web/page-routes.ts'
import { consoleNavigation, consolePath } from '../navigation-markup.ts'
import { placeOf, questionnaireFieldsMarkup } from './builder-markup.ts'
import { type PostingPageDeps, postingPages, tooLarge } from './pages.ts'
import { edited, focusAfter, newQuestion, readEdit } from './questionnaire-edit.ts'
import {
  bodyOfQuestionnaire,
  fieldOfPath,
  formOfQuestionnaire,
  type QuestionnaireForm,
  readQuestionnaireForm,
  withNewIds,
  withoutEmptyOptions,
  withRoom,
} from './questionnaire-form.ts'
import {
  changedQuestionnaireMarkup,
  questionnaireCells,
  questionnaireLinks,
  tryOutMarkup,
  usersMarkup,
} from './questionnaires-markup.ts'
import { questionnaireTexts as texts } from './questionnaires-texts.ts'

interface QuestionnairePageDeps extends PostingPageDeps {
  questionnaires: Questionnaires
  lists: PostingLists
  /** Renders a question as the application form shows it. */
  questionMarkup(shown: {
    question: Question
    number: number
    answer: readonly string[] | string | undefined
    errors: readonly FieldError[]
    limits: FormLimits
  }): Html
  limits: Limits
}

interface Tried {
  answers: Answers
  errors?: readonly FieldError[]
  isAnswered?: boolean
}

/** An advertiser's questionnaires, and a page to try one out. */
export function questionnairePages(deps: QuestionnairePageDeps): RouteOptions[] {
  const { questionnaires, lists, sessions, limits } = deps
  const tab = 'screens'
  const formFields = limits.screenFormFields
  const tooLong = () => texts.tooLong(Math.floor(limits.screenFormBytes / 1024 / 1024), formFields)

  const questionsMarkup = (
    questions: readonly Question[],
    answers: Answers = new Map(),
    errors: readonly FieldError[] = [],
  ) =>
    questions.map((question, row) =>
      deps.questionMarkup({ question, number: row + 1, answer: answers.get(question.id), errors, limits }),
    )

  const find = ({ caller, params }: Call<'console', 'screenId'>) =>
    questionnaires.find(caller.advertiserId, pathId(params.screenId))

  const pathOf = ({ advertiserId, id }: StoredQuestionnaire) => `${consolePath(advertiserId, tab)}/${id}`

  function showTryOut(
    { reply, caller }: Call<'console'>,
    questionnaire: StoredQuestionnaire,
    { answers, errors = [], isAnswered = false }: Tried,
  ): FastifyReply {
    const { name, questions } = questionnaire
    const back = pathOf(questionnaire)
    const path = `${back}/preview`
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: texts.tryTitle(name),
      heading: pageHead(
        texts.tryHeading(name),
        false,
        breadcrumb([
          { href: consolePath(caller.advertiserId, tab), label: texts.title },
          { href: back, label: name },
        ]),
      ),
      navigation: consoleNavigation(caller, tab),
      body: tryOutMarkup({
        path,
        back,
        formToken: sessions.formToken(reply, path),
        questionnaire,
        answers,
        errors,
        isAnswered,
        questions: questionsMarkup(questions, answers, errors),
      }),
    })
  }

  return [
    ...postingPages<QuestionnaireFields, QuestionnaireForm, OwnQuestionnaire>(deps, {
      tab,
      parameter: 'screenId',
      texts,
      tooLong,
      formLimits: { bodyLimit: limits.screenFormBytes, formFields },
      postings: questionnaires,

      list: lists.screens,
      cellsOf: (row, advertiserId) => questionnaireCells(row, consolePath(advertiserId, tab)),

      nameOf: ({ name }) => name,
      stateOf: ({ status }) => status,
      linksOf: questionnaireLinks,
      async noticeFor({ advertiserId, id }) {
        const ads = await lists.adsWithScreen(advertiserId, id, limits.adsNamed + 1)
        return usersMarkup(ads, limits.adsNamed, consolePath(advertiserId, 'jobs'))
      },

      newForm: () => ({ name: '', questions: [newQuestion('MultipleChoiceOneAnswer')] }),
      formOf: formOfQuestionnaire,
      copyOf: ({ name, questions }) =>
        formOfQuestionnaire({ name: texts.copyOf(name).slice(0, limits.nameLength), questions }),
      readForm: fields => withoutEmptyOptions(readQuestionnaireForm(fields)),
      edit(fields) {
        const edit = readEdit(fields.get('do') ?? '')
        if (edit === undefined) return undefined
        const form = edited(readQuestionnaireForm(fields), edit, limits)
        return { form, notices: notice('info', texts.notSaved), focus: focusAfter(edit, form) }
      },
      bodyOf: (form, advertiserId, stored) =>
        bodyOfQuestionnaire(
          stored === undefined ? form : withNewIds(form, () => randomWord(8)),
          advertiserId,
        ),

      formAttributes: html`data-builder`,
      fieldsOf: (form, { errors, focus }) =>
        questionnaireFieldsMarkup(errors.length === 0 ? form : withRoom(form), { errors, limits, focus }),
      inWords: errors =>
        errors.map(({ field, code }) => ({
          field: fieldOfPath(field),
          code,
          message: texts.fault(field, code, limits),
        })),
      placeOf,
      previewOf: ({ questions }) => html`${questionsMarkup(questions)}`,
      changedMarkup: changedQuestionnaireMarkup,
    }),
    adminPage.get('/console/:advertiserId/screens/:screenId/preview', async call =>
      showTryOut(call, await find(call), { answers: new Map() }),
    ),
    adminPage.post(
      '/console/:advertiserId/screens/:screenId/preview',
      async call => {
        const questionnaire = await find(call)
        const fields = sessions.checkForm(call, `${pathOf(questionnaire)}/preview`)
        const { answers } = readApplyForm(fields, questionnaire)
        const errors = checkAnswers(questionnaire, answers, limits, questionField)
        return showTryOut(call, questionnaire, { answers, errors, isAnswered: errors.length === 0 })
      },
      { bodyLimit: limits.applyFormBytes, formFields, errorHandler: tooLarge({ tab, texts, tooLong }) },
    ),
  ]
}
