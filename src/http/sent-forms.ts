import type { FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import { Problem } from '../core/problems.ts'
import { hashSecret } from '../core/secrets.ts'
import type { SentFormStore } from '../core/sent-forms.ts'
import type { FormFields } from './form.ts'

export type SentForms = ReturnType<typeof createSentForms>

/**
 * For forms that make something new each time: each carries a `form_key` of its own, and whoever presses twice is
 * led to what the first press has made. Whoever goes back and sends something else has made something else.
 */
export function createSentForms(deps: {
  store: SentFormStore
  clock: Clock
  limits: { sentFormSeconds: number; sentFormClaimSeconds: number; sentFormLooks: number }
  /** Between two looks at a form that is on its way. */
  pause(): Promise<unknown>
}) {
  const { store, clock, limits, pause } = deps

  /** `until` is what the claim is known by. */
  async function finish(key: string, until: number, act: () => Promise<string>): Promise<string> {
    let location: string
    try {
      location = await act()
    } catch (error) {
      // Should this fail, too, the claim ends by itself; what went wrong first is what has to be told.
      await store.release(key, until).catch(() => {})
      throw error
    }
    await store.finish(key, until, { location, expiresAt: clock() + limits.sentFormSeconds * 1000 })
    return location
  }

  return {
    /**
     * `act` makes the thing and tells where it is; when it throws, the form may be sent again. Not the first: one
     * with the same content was here before, and has ended well. `files` says which came with it.
     */
    async once(
      request: Pick<FastifyRequest, 'url'> & { session: { candidateId: string } },
      fields: FormFields,
      act: () => Promise<string>,
      files: readonly string[] = [],
    ): Promise<{ location: string; isFirst: boolean }> {
      const key = keyOf(request, fields, files)
      for (let looks = limits.sentFormLooks; ; looks--) {
        const now = clock()
        const until = now + limits.sentFormClaimSeconds * 1000
        if (await store.claim(key, now, until)) {
          return { location: await finish(key, until, act), isFirst: true }
        }
        const location = await store.find(key)
        if (location !== undefined) return { location, isFirst: false }
        if (looks === 0) throw new Problem('form-under-way')
        await pause()
      }
    },
  }
}

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
