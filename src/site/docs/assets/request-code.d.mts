export type CodeLanguage = 'curl' | 'typescript' | 'python' | 'csharp' | 'php'

/** A part of a form: JSON text, or the name of a file. */
export type RequestPart =
  | { name: string; json: string; file?: never }
  | { name: string; file: string; json?: never }

export interface CodeRequest {
  method: string
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  /** ID and secret for HTTP Basic. */
  basic?: readonly [id: string, secret: string] | undefined
  /** At most one of these is the body. */
  json?: string | undefined
  form?: readonly (readonly [name: string, value: string])[] | undefined
  parts?: readonly RequestPart[] | undefined
  /** The file in which to store the response, which is printed otherwise. */
  saveAs?: string | undefined
}

export function requestCode(language: CodeLanguage, request: CodeRequest): string
