const mebibyte = 1024 * 1024;
/** About 200 photos: those of a day's route. */
const maxQuarantinedBytes = 64 * mebibyte;

export interface UploadLimits {
  readonly fileBytes: number;
  readonly files: number;
  /** All files of a request together. */
  readonly requestBytes: number;
  /** A caller's bytes in an hour by the clock, refused uploads included. */
  readonly hourBytes: number;
  /** The same for all quarantined queues of a driver together: their uploads do not use the driver's own quota. */
  readonly quarantinedHourBytes: number;
}

/** Settings of the operator: contract §1 and §3. */
export interface UploadSettings {
  readonly maxFileMb: number;
  readonly maxFiles: number;
  readonly uploadQuotaMb: number;
}

export function uploadLimits({ maxFileMb, maxFiles, uploadQuotaMb }: UploadSettings): UploadLimits {
  return {
    fileBytes: maxFileMb * mebibyte,
    files: maxFiles,
    requestBytes: 4 * maxFileMb * mebibyte,
    hourBytes: uploadQuotaMb * mebibyte,
    quarantinedHourBytes: Math.min(uploadQuotaMb * mebibyte, maxQuarantinedBytes),
  };
}
