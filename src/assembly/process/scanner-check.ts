import type { Logger } from 'pino'
import { ScannerAway } from '../../platform/blobs/faults.ts'
import { SettingError } from '../../settings.ts'
import type { App } from '../app.ts'

/**
 * Checks the scanner before the start. A scanner that is unavailable may recover, so the start continues; one with
 * unusable verdicts must be fixed first, so this throws. Returns a function that logs the result in one line.
 */
export async function checkScanner({ platform: { scanner } }: App, log: Logger): Promise<() => void> {
  if (scanner === undefined) {
    return () => log.info('no CLAMD_URL: files are not scanned, and HasVirus stays null')
  }
  try {
    await scanner.prove()
    return () => log.info('clamd scans every file')
  } catch (error) {
    if (!(error instanceof ScannerAway)) throw new SettingError('CLAMD_URL', (error as Error).message)
    const { message: reason } = error
    return () => log.warn({ reason }, 'files stay unscanned until clamd is back')
  }
}
