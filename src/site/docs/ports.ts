/** Reads guides, samples and the OpenAPI document, which are kept once, in the repository. */
export interface DocsFiles {
  /** `path` is relative to the root of the repository. */
  read(path: string): Promise<string>
}
