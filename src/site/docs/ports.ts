/** What the desk shows is kept in the repository, once: guides, samples and the description of the API. */
export interface DeskFiles {
  /** By its path from the root of the repository. */
  read(path: string): Promise<string>
}
