import * as z from '#schema';

export const signedUp = z.object({ employee_id: z.string(), name: z.string(), api_token: z.string() });
export const signedIn = z.object({ ...signedUp.shape, must_change_password: z.boolean() });
export const passwordUpdated = z.object({ api_token: z.string() });
export type SignedIn = z.infer<typeof signedIn>;
export const otherDriversSignedIn = z.object({
  other_drivers_signed_in: z.literal(true),
  drivers: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type OtherDriversSignedIn = z.infer<typeof otherDriversSignedIn>;
