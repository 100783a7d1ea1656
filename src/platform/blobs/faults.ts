import { Problem } from '../core/problems.ts'

/** The store is available, but the file is missing or differs from the stored one. An outage throws another error. */
export class FileLost extends Problem {}

/** The stored bytes differ from the row's description. */
export class NotAsDescribed extends Error {
  override readonly name = 'NotAsDescribed'
}

/** The files may belong to another database, so none may be removed. The message says what to fix. */
export class NotOurFiles extends Error {
  override readonly name = 'NotOurFiles'
}

/** The scanner is temporarily unavailable. Any other error is an invalid setting, which lasts until it is fixed. */
export class ScannerAway extends Error {
  override readonly name = 'ScannerAway'
}
