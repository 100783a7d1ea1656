import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { Problem } from '../../core/problems.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { Person } from '../../core/session-owner.ts'
import type { FormFields } from '../requests/form.ts'
import type { SentFormStore } from './sent-form-store.ts'

/**
 * Limit: Checks by a second submission of a form whether the first has ended, ten per second.
 */
export const maxSentFormChecks = 50
/** Limit: How long a sent form is remembered, to recognise a second submission. */
export const sentFormSeconds = 86_400

export type SentForms = ReturnType<typeof createSentForms>

/**
 * Makes forms that create something idempotent: each carries its own `form_key`, and submitting it again leads to the
 * first result. A person who goes back and submits other content creates something else.
 */
export function createSentForms(deps: {
  store: SentFormStore
  clock: Clock
  /** Waits between two checks of a form that is being processed. */
  pause(): Promise<unknown>
  idOf(person: Person): string
  log: Log
}) {
  const { store, clock, pause, idOf, log } = deps

  const expiry = () => clock() + sentFormSeconds * 1000

  /** `until` identifies the claim. */
  async function finish(key: string, until: number, act: () => Promise<string>): Promise<string> {
    let location: string
    try {
      location = await act()
    } catch (error) {
      if (isInDoubt(error)) throw new Problem('unavailable', texts.unconfirmed, { cause: error })
      // If this also fails, answer with the first error.
      await store
        .release(key, until)
        .catch(lost =>
          log.warn({ err: lost }, 'a form that failed cannot be sent again until its claim expires'),
        )
      throw error
    }
    // The result is shown even if this fails.
    await store
      .finish(key, until, { location, expiresAt: expiry() })
      .catch(lost =>
        log.warn({ err: lost }, 'a form was processed, but sending it again does not show the result'),
      )
    return location
  }

  return {
    /**
     * `act` creates the entry and returns its location. If it throws, the form may be submitted again, unless it is
     * unknown whether the entry was created: then this form never creates it again. The same applies if the node died
     * during `act`. `isFirst` is false if the same content was submitted before and succeeded. `files` identifies the
     * files of the form.
     */
    async once(
      call: { request: Pick<FastifyRequest, 'url'>; caller: Person },
      fields: FormFields,
      act: () => Promise<string>,
      files: readonly string[] = [],
    ): Promise<{ location: string; isFirst: boolean }> {
      const key = keyOf(idOf(call.caller), call.request.url, fields, files)
      for (let looks = maxSentFormChecks; ; looks--) {
        const until = expiry()
        if (await store.claim(key, clock(), until)) {
          return { location: await finish(key, until, act), isFirst: true }
        }
        const location = await store.find(key)
        if (location !== undefined) return { location, isFirst: false }
        if (looks === 0) throw new Problem('form-under-way', texts.unknown)
        await pause()
      }
    },
  }
}

const texts = {
  unconfirmed:
    'We couldn’t confirm that this was saved. Check the list that this form adds to before you send it again.',
  unknown:
    'You’ve already sent this form, and we don’t know the result yet. Wait a minute, then check the list that it adds to. If the entry isn’t there, open the form again.',
}

/** The database may have committed without being able to confirm. */
const isInDoubt = (error: unknown) => error instanceof Problem && error.code === 'unavailable'

/** Hashes sender, address and content. A form without its own key never equals another form. */
function keyOf(senderId: string, url: string, fields: FormFields, files: readonly string[]): string {
  const content = fields.pairs().filter(([name]) => name !== 'form_token')
  const formKey = fields.get('form_key') || newUuid()
  return hashSecret(JSON.stringify([senderId, url, formKey, content, files]))
}
