/* The gap-weighted subsequence kernel by the recursion of Lodhi and others (2002), one pair at a time: what a scalar loop does.
 *
 *     subsequence P LAMBDA < TEXTS      one text a line, each shorter than 1024 bytes; prints seconds, pairs x length^2, and the sum of
 *                                       the normalised values of all pairs i >= j
 *
 * O(p|s||t|): with K'_0 = 1, K''_i(sx, ty) = lambda K''_i(sx, t) + [x = y] lambda^2 K'_{i-1}(s, t),
 * K'_i(sx, t) = lambda K'_i(s, t) + K''_i(sx, t), and K_p adds lambda^2 K'_{p-1}(s, t) where letters are equal.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST = 1024, MOST = 16 };

static double value(const char *s, int n, const char *t, int m, int p, double lambda) {
    /* before[i][j] is K'_i of the letters of s so far and the first j of t. */
    static double before[MOST][LONGEST + 1];
    double square = lambda * lambda, sum = 0;
    for (int j = 0; j <= m; j++) before[0][j] = 1;
    for (int i = 1; i < p; i++) memset(before[i], 0, sizeof(double) * (m + 1));
    for (int a = 0; a < n; a++) {
        for (int j = 0; j < m; j++)
            if (s[a] == t[j]) sum += square * before[p - 1][j];
        /* From the longest on: K'_i needs K'_{i-1} without this letter. */
        for (int i = p - 1; i > 0; i--) {
            double run = 0;
            for (int j = 0; j < m; j++) {
                run = lambda * run + (s[a] == t[j] ? square * before[i - 1][j] : 0);
                before[i][j + 1] = lambda * before[i][j + 1] + run;
            }
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int p = atoi(argv[1]), count = 0, room = 0;
    double lambda = atof(argv[2]), work = 0, sum = 0;
    char line[LONGEST + 2], **text = NULL;
    if (p < 1 || p > MOST) return 2;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (count == room) text = realloc(text, sizeof(char *) * (room = 2 * room + 64));
        text[count++] = strdup(line);
    }
    double *own = malloc(sizeof(double) * count);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < count; i++) {
        int n = strlen(text[i]);
        own[i] = value(text[i], n, text[i], n, p, lambda);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            int n = strlen(text[i]), m = strlen(text[j]);
            double norm = sqrt(own[i] * own[j]);
            work += (double)n * m;
            if (norm > 0) sum += value(text[i], n, text[j], m, p, lambda) / norm;
        }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.6f %.0f %.17g\n", end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec), work, sum);
    return 0;
}
