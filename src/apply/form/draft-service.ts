import type { PublicJobAd } from '../../jobs/postings.ts'
import type { ResultQuestion } from '../../model/application.ts'
import { answerTypeOf, isTyped, type Question, type Questionnaire } from '../../model/questionnaire.ts'
import type { UploadedFile } from '../../platform/blobs/ports.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import { assertNotSwept } from '../../platform/blobs/upload-age.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { type Draft, type DraftAnswer, draftBytes, draftOf, maxDrafts } from './draft.ts'
import type { DraftStore, SavedDraft } from './draft-store.ts'
import type { ApplyForm } from './form.ts'
import type { AnsweredScreen } from './own-application.ts'
import type { OwnApplicationStore } from './own-application-store.ts'

/** Limit: Earlier applications of which answers are offered, newest first. */
const earlierApplications = 20

/** An answer to the same question in an application that the candidate sent earlier. */
export interface EarlierAnswer extends Pick<AnsweredScreen, 'advertiserName' | 'submittedAt'> {
  answer: readonly string[] | string
  words: string[]
}

export type Drafts = ReturnType<typeof createDrafts>

/** Stores forms that a candidate has typed but not sent, for some days after the last save. */
export function createDrafts(deps: {
  store: DraftStore
  sent: Pick<OwnApplicationStore, 'answeredScreens'>
  files: FileReceiver
  clock: Clock
  limits: { draftDays: number }
}) {
  const { store, sent, files, clock, limits } = deps

  return {
    /** Newest first. */
    list: store.list,
    find: store.find,

    receive: (field: string, file: UploadedFile): Promise<ReceivedFile> => files.receive(file, field),

    /** Saves the form, complete or not. Uploads that were not saved are discarded before this returns. */
    async save(
      candidateId: string,
      {
        formKey,
        version,
        ad,
        form,
        before,
        uploads,
        removed,
      }: {
        formKey: string
        version: number
        ad: PublicJobAd
        form: ApplyForm
        /** Answers of the draft, for a page whose questions differ from the ad's current ones. */
        before: readonly DraftAnswer[]
        uploads: ReadonlyMap<string, ReceivedFile>
        removed: readonly string[]
      },
    ): Promise<SavedDraft> {
      const discardAll = () => Promise.all([...uploads.values()].map(file => files.discard(file)))
      const content = JSON.stringify(draftOf(form, ad.screen, before))
      if (Buffer.byteLength(content) > draftBytes) {
        await discardAll()
        const message = `A draft can have ${sizeInWords(draftBytes)} of text. Shorten it, or send it without saving.`
        const errors = [{ field: 'draft', code: 'too-large', message }]
        throw new Problem('payload-too-large', message, { errors })
      }
      const now = clock()
      assertNotSwept([...uploads.values()], now)
      // If the store throws, rows may or may not exist, so leave the files to the clean-up.
      const saved = await store.save(
        candidateId,
        {
          id: formKey,
          version,
          jobAdId: ad.id,
          jobTitle: ad.title,
          advertiserName: ad.advertiserName,
          content,
          files: uploads,
          removed: removed.filter(field => !uploads.has(field)),
        },
        { now, expiresAt: now + limits.draftDays * 86_400_000, max: maxDrafts },
      )
      if (saved.kind !== 'saved' || saved.isRepeated) await discardAll()
      if (saved.kind === 'too-many') {
        const message = `You have ${maxDrafts} drafts, the maximum. Send or discard one of them under Applications, then save again.`
        const errors = [{ field: 'draft', code: 'too-many', message }]
        throw new Problem('invalid-fields', message, { errors })
      }
      return saved
    },

    async own(candidateId: string, draftId: string): Promise<Draft> {
      const draft = await store.own(candidateId, draftId)
      if (draft === undefined) throw noSuchDraft()
      return draft
    },

    async discard(candidateId: string, draftId: string): Promise<void> {
      if (!(await store.discard(candidateId, draftId, clock()))) throw noSuchDraft()
    },

    /**
     * The newest answer to each question with the same text and type, to any company, by the question's ID.
     * Confirmations of statements and files are never offered.
     */
    async earlierAnswers(
      candidateId: string,
      screen: Questionnaire | null,
    ): Promise<ReadonlyMap<string, EarlierAnswer>> {
      const asked = (screen?.questions ?? []).filter(({ kind }) => kind !== 'statement' && kind !== 'file')
      if (asked.length === 0) return new Map()
      const screens = (await sent.answeredScreens(candidateId, earlierApplications)).map(screen => ({
        ...screen,
        byWording: new Map(screen.questions.map(question => [sameKey(question), question])),
      }))
      return new Map(
        asked.flatMap(question => {
          const found = newest(question, screens)
          return found === undefined ? [] : [[question.id, found]]
        }),
      )
    },
  }
}

const noSuchDraft = () =>
  new Problem('not-found', 'There is no such draft: it was sent or discarded, or its time has passed.')

const wording = (text: string) => text.trim().replaceAll(/\s+/g, ' ')

const sameKey = (question: Question | ResultQuestion) => `${answerTypeOf(question)} ${wording(question.text)}`

function newest(
  question: Question,
  screens: readonly (AnsweredScreen & { byWording: ReadonlyMap<string, ResultQuestion> })[],
): EarlierAnswer | undefined {
  const key = sameKey(question)
  for (const { advertiserName, submittedAt, byWording } of screens) {
    const same = byWording.get(key)
    const words = (same?.answers ?? []).filter(({ selected }) => selected).map(({ text }) => text)
    if (words.length === 0) continue
    if (isTyped(question.type)) return { advertiserName, submittedAt, words, answer: words.join() }
    const options = words.map(text => question.options.find(option => wording(option.text) === wording(text)))
    // Skip answers with a choice that this company does not offer.
    if (options.every(option => option !== undefined))
      return { advertiserName, submittedAt, words, answer: options.map(({ id }) => id) }
  }
  return undefined
}
