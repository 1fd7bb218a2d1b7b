# Figures of R survey for the small pools in cases/, written to figures.json.
#
#   Rscript tests/oracle/survey.R          (needs the packages survey and jsonlite)
#
# With fixed predictions f the estimate of the mean is mean_N(f) + Hajek mean of r = y - f, and
# mean_N(f) is a known number, so that its variance is the design variance of svymean(~r).
# Where R's formula and BACON's differ by a known factor, both are stored: "se" is the figure
# that BACON has to give, "se_survey" what R printed.

suppressMessages(library(survey))
library(jsonlite)

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))))

read_case <- function(name) {
  pool <- read.csv(file.path(here, "cases", paste0(name, ".csv")))
  pool$r <- pool$y - pool$f
  pool$drawn <- !is.na(pool$y)
  pool$one <- 1
  pool
}

add_counts <- function(pool) {
  pool$N <- nrow(pool)
  if (!is.null(pool$stratum)) pool$N_h <- ave(pool$one, pool$stratum, FUN = sum)
  if (!is.null(pool$psu)) pool$C <- length(unique(pool$psu))
  pool
}

se <- function(statistic) sqrt(as.vector(vcov(statistic)))

difference <- function(pool, design) {
  centre <- mean(pool$f)
  correction <- svymean(~r, design)
  list(mean = centre + coef(correction)[[1]], se = se(correction), n_items = nrow(pool),
       n_labels = nrow(design))
}

with_interval <- function(figures, design, level = 0.95) {
  df <- degf(design)
  half <- qt(1 - (1 - level) / 2, df) * figures$se
  c(figures, list(df = df, low95 = figures$mean - half, high95 = figures$mean + half))
}

# The variance of BACON under unequal probabilities carries m/(m-1), survey's
# poisson_sampling does not; brewer does already.
small_sample <- function(figures) {
  m <- figures$n_labels
  figures$se_survey <- figures$se
  figures$se <- figures$se * sqrt(m / (m - 1))
  figures
}

# The residual is centred at the weighted mean, so svymean is the ratio of two totals, whose
# linearisation has to give the same standard error.
check_centring <- function(design) {
  ratio <- svyratio(~r, ~one, design)
  stopifnot(abs(sqrt(as.vector(ratio$var)) / se(svymean(~r, design)) - 1) < 1e-12)
}

value_se <- function(statistic) list(value = coef(statistic)[[1]], se = se(statistic))

# Population target: phase 1 is a simple random sample of the N items from an infinite
# population, phase 2 the labels. survey estimates S_y^2 with N where BACON has N - 1.
population <- function(pool, phase2_strata) {
  two <- twophase(id = list(~1, ~1), strata = list(NULL, phase2_strata), subset = ~drawn,
                  data = pool, method = "full")
  found <- svymean(~y, two)
  n <- nrow(pool)
  list(population_se_survey = se(found), population_se = se(found) * sqrt(n / (n - 1)))
}

# survey 4.1-1, interval.type = "score": uniroot looks for the theta at which the score
# (tau - F(theta)) / se(theta) equals +t (low end) and -t (high end). The score is a step
# function that jumps at the labels, so the root is a jump, and uniroot stops a hair left or
# right of it, on the side whose score is nearer to the limit. The end reported is the largest
# label at or below that point: the label of the jump from the right, the one before from the left.
#   {theta : |F(theta) - tau| <= t se(theta)} over all real theta is closed below and open above:
#   it goes from the first accepted label to the first label whose F is too high. Those two
#   labels, the ends of its hull, are BACON's interval.
#   R's low end is BACON's where the root is right of the jump, else the label before it (which
#   the test rejects); R's high end is BACON's where the root is right of the jump, else the
#   label before it (the last accepted one, short of the open end).
# So the two meet where, at both ends, the score at the label of the jump is nearer to the
# limit than the score at the label before: "low_meets" and "high_meets", worked out from
# svymean alone; stopifnot holds svyquantile to this account.
# Two more conditions, kept by the case: labels without ties, wider apart than uniroot's
# tolerance 1/(100 sqrt(n)); and equal weights, since survey hands the unweighted share of
# labels below the root to a weighted quantile rule. The weights are whole numbers because that
# rule compares sums of weights exactly. The point estimate (qrule "math") is the smallest
# label with F >= tau, as in BACON, and needs no condition.
score_interval <- function(design, tau, level) {
  labels <- sort(design$variables$y)
  limit <- qt(1 - (1 - level) / 2, degf(design))
  score <- sapply(labels[-length(labels)], function(theta) {
    below <- svymean(as.numeric(design$variables$y <= theta), design)
    (tau - coef(below)[[1]]) / se(below)
  })
  right_of <- function(jump, limit) abs(score[jump] - limit) < abs(score[jump - 1] - limit)
  low <- min(which(score <= limit))
  high <- min(which(score < -limit))
  low_meets <- right_of(low, limit)
  high_meets <- right_of(high, -limit)
  found <- svyquantile(~y, design, tau, alpha = 1 - level, interval.type = "score")$y
  stopifnot(found[1, 2] == labels[low - !low_meets], found[1, 3] == labels[high - !high_meets])
  list(tau = tau, level = level, value = found[[1, 1]], low = found[[1, 2]],
       high = found[[1, 3]], low_meets = low_meets, high_meets = high_meets)
}

score_intervals <- function(design) {
  settings <- expand.grid(level = c(0.8, 0.9, 0.95, 0.99), tau = c(0.25, 0.5, 0.75, 0.8))
  Map(function(tau, level) score_interval(design, tau, level), settings$tau, settings$level)
}

quantile_values <- function(design) {
  lapply(c(0.1, 0.25, 0.5, 0.75, 0.9), function(tau) {
    found <- svyquantile(~y, design, tau, ci = FALSE, se = FALSE)
    list(tau = tau, value = as.vector(found$y))
  })
}

# Korn-Graubard interval of the share of z. The population form has no finite-pool factor.
korn_graubard <- function(design) {
  found <- svyciprop(~z, design, method = "beta", level = 0.95)
  list(value = coef(found)[[1]], se = se(found), low95 = attr(found, "ci")[[1]],
       high95 = attr(found, "ci")[[2]])
}

constant_figures <- function(pool, design) {
  list(total = value_se(svytotal(~y, design)),
       ratio_y_y2 = {
         ratio <- svyratio(~y, ~y2, design)
         list(value = as.vector(ratio$ratio), se = sqrt(as.vector(ratio$var)))
       },
       variance = value_se(svyvar(~y, design)),
       proportion_z = value_se(svymean(~z, design)),
       quantile_values = quantile_values(design))
}

run_simple <- function() {
  pool <- add_counts(read_case("simple"))
  design <- svydesign(id = ~1, fpc = ~N, data = subset(pool, drawn))
  with_interval(difference(pool, design), design)
}

run_stratified <- function() {
  pool <- add_counts(read_case("stratified"))
  design <- svydesign(id = ~1, strata = ~stratum, fpc = ~N_h, data = subset(pool, drawn))
  with_interval(difference(pool, design), design)
}

run_poisson <- function() {
  pool <- read_case("poisson")
  drawn <- subset(pool, drawn)
  design <- svydesign(id = ~1, probs = ~pi, data = drawn, pps = poisson_sampling(drawn$pi))
  check_centring(design)
  small_sample(difference(pool, design))
}

run_fixed <- function() {
  pool <- read_case("fixed")
  design <- svydesign(id = ~1, fpc = ~pi, data = subset(pool, drawn), pps = "brewer")
  check_centring(design)
  difference(pool, design)
}

# Labels alone, items of one cluster not independent in the population either. method = "full"
# takes the items of phase 1 as independent even with id = ~psu, so the figure is of "approx":
# V_pool + C/(C-1) sum_c T_c^2 / (sum w)^2, where BACON divides by N^2. "weight_sum" is sum w.
clusters_human_only <- function(pool, design) {
  two <- twophase(id = list(~psu, ~psu), subset = ~drawn, data = pool, method = "approx")
  found <- svymean(~y, two)
  list(mean = coef(found)[[1]], se = se(svymean(~y, design)), population_se_survey = se(found),
       weight_sum = sum(weights(design)))
}

run_clusters <- function() {
  pool <- add_counts(read_case("clusters"))
  design <- svydesign(id = ~psu, fpc = ~C, data = subset(pool, drawn))
  c(with_interval(difference(pool, design), design),
    list(human_only = clusters_human_only(pool, design)))
}

run_simple_constant <- function() {
  pool <- add_counts(read_case("simple_constant"))
  design <- svydesign(id = ~1, fpc = ~N, data = subset(pool, drawn))
  unlimited <- svydesign(id = ~1, weights = ~I(N / sum(drawn)), data = subset(pool, drawn))
  c(with_interval(difference(pool, design), design),
    population(pool, NULL),
    constant_figures(pool, design),
    list(proportion_z_population = korn_graubard(unlimited),
         quantile_score_intervals = score_intervals(design)))
}

run_stratified_constant <- function() {
  pool <- add_counts(read_case("stratified_constant"))
  design <- svydesign(id = ~1, strata = ~stratum, fpc = ~N_h, data = subset(pool, drawn))
  by <- svyby(~y, ~stratum, design, svymean)
  c(with_interval(difference(pool, design), design),
    population(pool, ~stratum),
    constant_figures(pool, design),
    list(stratum_means = Map(function(value, se) list(value = value, se = se),
                             setNames(by$y, by$stratum), as.vector(SE(by)))))
}

figures <- list(
  versions = list(R = paste(R.version$major, R.version$minor, sep = "."),
                  survey = packageDescription("survey")$Version),
  simple = run_simple(),
  stratified = run_stratified(),
  poisson = run_poisson(),
  fixed = run_fixed(),
  clusters = run_clusters(),
  simple_constant = run_simple_constant(),
  stratified_constant = run_stratified_constant()
)
# digits = NA writes 15 significant digits.
text <- toJSON(figures, auto_unbox = TRUE, digits = NA, pretty = 2)
writeLines(text, file.path(here, "figures.json"))
