import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call } from './http.ts'
import type { Service } from './service.ts'

/**
 * Asks until the response has this status, for what a service notices only after a while. It has no limit of its own:
 * the time limit of the test applies.
 */
export async function untilStatus(
  service: Service,
  path: string,
  status: number,
  headers: Record<string, string> = {},
): Promise<Answer> {
  for (;;) {
    const answer = await call(service, path, { headers })
    if (answer.status === status) return answer
    await sleep(50)
  }
}

/** The same for any other condition. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}
