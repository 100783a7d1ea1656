import type { RandomReader } from '../../core/random-reader.ts'
import { type Answer, isBeyondLimits } from './answer.ts'
import { eicarDoc, eicarHtml, eicarPdf, eicarRtf, eicarXml } from './document-probes.ts'
import { deepest, deepZip, densestZip, eicarZip, largeZip, readerOf } from './probes.ts'

interface Asking {
  ask(file: RandomReader): Promise<Answer>
  /** Makes the error for a clamd that does not answer, with the reason. */
  away(reason: string): Error
}

/**
 * Rejects if the "clean" of this clamd cannot be trusted. Resolves to a warning for the operator if there are files that
 * it will not judge.
 */
export async function proveClamd(
  clamd: Asking,
  { fileBytes, isKnown }: { fileBytes: number; isKnown: boolean },
): Promise<string | undefined> {
  await proveItFinds(clamd)
  await proveItReportsLimits(clamd)
  // Once per process, because settings last as long, and the second probe costs clamd a second and some hundred
  // megabytes of disk.
  if (!isKnown) {
    await proveItOpensDocuments(clamd)
    await proveItUnpacksAll(clamd)
  }
  return proveItsSize(clamd, fileBytes)
}

async function proveItFinds({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(eicarZip()))
  if (answer.verdict === 'infected') return
  if (answer.verdict === 'none') throw away(answer.reason)
  throw new Error(
    'clamd does not find the EICAR test file in a zip, so its verdicts are not used: give it signatures (freshclam) and "ScanArchive yes" in clamd.conf, and restart it',
  )
}

/** The formats that we accept consist of these, and each can be switched off. To clamd, RTF is an archive. */
const documents: [kind: string, setting: string, make: () => Buffer][] = [
  ['PDF', 'ScanPDF', eicarPdf],
  ['Word document', 'ScanOLE2', eicarDoc],
  ['RTF document', 'ScanArchive', eicarRtf],
  ['web page', 'ScanHTML', eicarHtml],
  ['Word document of XML', 'ScanXMLDOCS', eicarXml],
]

async function proveItOpensDocuments({ ask, away }: Asking): Promise<void> {
  for (const [kind, setting, make] of documents) {
    const answer = await ask(readerOf(make()))
    if (answer.verdict === 'none') throw away(answer.reason)
    if (answer.verdict === 'clean') {
      throw new Error(
        `clamd does not find the EICAR test file in a ${kind}, so its verdicts are not used: set "${setting} yes" in clamd.conf, and restart it`,
      )
    }
  }
}

async function proveItReportsLimits({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(deepZip()))
  if (answer.verdict === 'none') {
    if (isBeyondLimits(answer.reason)) return
    throw away(answer.reason)
  }
  throw new Error(
    answer.verdict === 'clean'
      ? 'clamd reports files as clean that it has not scanned, so its verdicts are not used: set "AlertExceedsMax yes" in clamd.conf, and restart it'
      : `clamd opens archives so deep that we cannot check whether it reports files beyond its limits, so its verdicts are not used: set MaxRecursion in clamd.conf to ${deepest} or less, and restart it`,
  )
}

async function proveItUnpacksAll({ ask, away }: Asking): Promise<void> {
  const answer = await ask(readerOf(densestZip()))
  if (answer.verdict === 'infected') return
  if (answer.verdict === 'none') {
    // If it does not open three nested archives, this shows nothing about their size.
    if (isBeyondLimits(answer.reason) && !answer.reason.endsWith('.MaxRecursion')) return
    throw away(answer.reason)
  }
  throw new Error(
    'clamd reports archives as clean after scanning only their beginning, so its verdicts are not used: set MaxFileSize in clamd.conf to the value of MaxScanSize, and restart it',
  )
}

/** Any answer but "clean" is safe. Resolves to a warning about files that it will not judge. */
async function proveItsSize({ ask }: Asking, fileBytes: number): Promise<string | undefined> {
  const answer = await ask(largeZip(fileBytes))
  if (answer.verdict === 'infected') return undefined
  const needed = `StreamMaxLength of at least ${fileBytes}, and MaxFileSize and MaxScanSize of at least ${2 * fileBytes}`
  if (answer.verdict === 'none') {
    return `clamd judges only smaller files (${answer.reason}), and the others stay unscanned: files of ${fileBytes} bytes need a ${needed} in clamd.conf`
  }
  throw new Error(
    `clamd reports a file of ${fileBytes} bytes as clean that it has not scanned, so its verdicts are not used: set "AlertExceedsMax yes", ${needed} in clamd.conf, and restart it`,
  )
}
