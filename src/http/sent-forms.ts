import type { Clock } from '../core/clock.ts'
import { hashSecret } from '../core/secrets.ts'
import type { SentFormStore } from '../core/sent-forms.ts'
import type { FormFields } from './form.ts'

export type SentForms = ReturnType<typeof createSentForms>

/**
 * For forms that make something new each time: each carries a `form_key` of its own, and whoever presses twice,
 * or goes back and sends it again, is led to what the first press has made.
 */
export function createSentForms(deps: {
  store: SentFormStore
  clock: Clock
  limits: { sentFormSeconds: number }
}) {
  const { store, clock, limits } = deps
  return {
    /**
     * `act` makes the thing and tells where it is; when it throws, the form may be sent again. `otherwise` is
     * where a form leads whose first sending is still under way.
     */
    async once(
      candidateId: string,
      fields: FormFields,
      otherwise: string,
      act: () => Promise<string>,
    ): Promise<{ location: string; isFirst: boolean }> {
      const key = hashSecret(`${candidateId} ${fields.get('form_key') ?? ''}`)
      if (!(await store.claim(key, clock() + limits.sentFormSeconds * 1000))) {
        return { location: (await store.find(key)) ?? otherwise, isFirst: false }
      }
      try {
        const location = await act()
        await store.finish(key, location)
        return { location, isFirst: true }
      } catch (error) {
        await store.release(key)
        throw error
      }
    },
  }
}
