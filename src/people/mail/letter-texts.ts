/** The foot of every email. */
export const letterTexts = {
  contact: (board: string) => `Questions? Contact ${board}:`,
}
