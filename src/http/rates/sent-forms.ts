import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { hashSecret } from '../../core/secrets.ts'
import type { FormFields } from '../requests/form.ts'
import type { SentFormStore } from './sent-forms-ports.ts'

export type SentForms = ReturnType<typeof createSentForms>

/**
 * For forms that make something new each time: each carries a `form_key` of its own, and whoever presses twice is
 * led to what the first press has made. Whoever goes back and sends something else has made something else.
 */
export function createSentForms(deps: {
  store: SentFormStore
  clock: Clock
  limits: { sentFormSeconds: number; sentFormLooks: number }
  /** Between two looks at a form that is on its way. */
  pause(): Promise<unknown>
}) {
  const { store, clock, limits, pause } = deps

  const expiry = () => clock() + limits.sentFormSeconds * 1000

  /** `until` is what the claim is known by. */
  async function finish(key: string, until: number, act: () => Promise<string>): Promise<string> {
    let location: string
    try {
      location = await act()
    } catch (error) {
      if (isInDoubt(error)) throw new Problem('unavailable', texts.unconfirmed, { cause: error })
      // Should this fail, too, the claim stays; what went wrong first is what has to be told.
      await store.release(key, until).catch(() => {})
      throw error
    }
    // What was made is shown. Should this fail, whoever sends the form again is told to look for it.
    await store.finish(key, until, { location, expiresAt: expiry() }).catch(() => {})
    return location
  }

  return {
    /**
     * `act` makes the thing and tells where it is; when it throws, the form may be sent again, unless nobody knows
     * whether the thing was made: then nobody makes it with this form any more. The same holds for a node that died
     * over it. Not the first: one with the same content was here before, and has ended well. `files` says which came
     * with it.
     */
    async once(
      request: Pick<FastifyRequest, 'url'> & { session: { candidateId: string } },
      fields: FormFields,
      act: () => Promise<string>,
      files: readonly string[] = [],
    ): Promise<{ location: string; isFirst: boolean }> {
      const key = keyOf(request, fields, files)
      for (let looks = limits.sentFormLooks; ; looks--) {
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
    'The database did not confirm it: it may have been done, or not. Look in the list that this form adds to before you do it again.',
  unknown:
    'This form was sent before, and what came of it is not known yet. Wait a minute and look in the list that it adds to: it may be there. If it is not, open the form anew.',
}

/** The database may have done what it could not tell us of. */
const isInDoubt = (error: unknown) => error instanceof Problem && error.code === 'unavailable'

/** Of who has sent what, and where to. A form without a key of its own is like no other. */
function keyOf(
  { session, url }: Parameters<SentForms['once']>[0],
  fields: FormFields,
  files: readonly string[],
): string {
  const content = fields.pairs().filter(([name]) => name !== 'form_token')
  const formKey = fields.get('form_key') || newUuid()
  return hashSecret(JSON.stringify([session.candidateId, url, formKey, content, files]))
}
